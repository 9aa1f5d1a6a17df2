import { element } from './element.js';

let count = 0;

/** A form field: a label, an input, and below it notes with an error or a hint. */
export class Field {
  /**
   * @param {string} label An empty label is omitted. The attribute `aria-labelledby` must then name the input's label.
   * @param {Object} attributes Attributes of the input.
   * @param {string} [hint]
   */
  constructor(label, attributes, hint = '') {
    const id = `field-${++count}`;
    this.error = element('p.error', { id: `${id}-error`, role: 'alert' });
    this.hint = element('p.hint', { id: `${id}-hint` }, hint);
    this.input = element('input', { id, 'aria-describedby': this.hint.id, ...attributes });
    this.notes = element('div.notes', {}, this.error, this.hint);
    this.root = element(
      'div.field', {}, label ? element('label', { for: id }, label) : null, this.input, this.notes);
    this.input.addEventListener('input', () => this.showError(''));
  }

  get value() { return this.input.value; }

  set value(text) { this.input.value = text; }

  /** Shows an error in place of the hint. An empty text removes the error. */
  showError(...content) {
    const error = element('p', {}, ...content);
    const text = error.textContent;
    // A screen reader would repeat an unchanged error.
    if (this.error.textContent !== text) this.error.replaceChildren(...error.childNodes);
    this.hint.hidden = text !== '';
    this.input.setAttribute('aria-describedby', text ? this.error.id : this.hint.id);
    if (text) this.input.setAttribute('aria-invalid', 'true');
    else this.input.removeAttribute('aria-invalid');
  }
}
