import { element } from './element.js';

let count = 0;

/** A form field: a label, an input, and below it notes with an error and a hint. */
export class Field {
  /**
   * @param {string} label
   * @param {Object} attributes Attributes of the input.
   * @param {string} [hint]
   */
  constructor(label, attributes, hint = '') {
    const id = `field-${++count}`;
    this.error = element('p.error', { id: `${id}-error`, role: 'alert' });
    this.hint = element('p.hint', { id: `${id}-hint` }, hint);
    this.input = element('input', { id, 'aria-describedby': `${id}-error ${id}-hint`, ...attributes });
    this.notes = element('div.notes', {}, this.error, this.hint);
    this.root = element('div.field', {}, element('label', { for: id }, label), this.input, this.notes);
    this.input.addEventListener('input', () => this.showError(''));
  }

  get value() { return this.input.value; }

  set value(text) { this.input.value = text; }

  /** Shows an error. An empty text removes it. */
  showError(text) {
    if (this.error.textContent !== text) this.error.textContent = text;
    if (text) this.input.setAttribute('aria-invalid', 'true');
    else this.input.removeAttribute('aria-invalid');
  }
}
