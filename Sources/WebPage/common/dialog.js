import { element } from './element.js';
import { say } from './language.js';

/**
 * A modal dialog. Escape, the cross, a click beside the dialog and `close` close it. The browser keeps the focus
 * inside, and restores the previous focus afterwards.
 */
export class Dialog {
  #closed;

  /**
   * @param {string} title
   * @param {string} kind A class of the dialog.
   */
  constructor(title, kind = '') {
    /** A small line above the title. Empty at first. */
    this.kicker = element('p.kicker', { id: `${kind}-kicker` });
    this.title = element('h2', { id: `${kind}-title`, tabindex: '-1' }, title);
    this.body = element('div.dialog-body');
    const cross = element(
      'button.icon', { type: 'button', 'aria-label': say('close'), onclick: () => this.#dismiss() }, '×');
    this.root = element(
      `dialog.${kind}`, { 'aria-labelledby': `${this.kicker.id} ${this.title.id}` },
      element('div.dialog-head', {}, element('div', {}, this.kicker, this.title), cross), this.body);
    this.root.addEventListener('close', () => {
      this.root.remove();
      this.#closed?.();
    });
    this.root.addEventListener('cancel', (event) => {
      if (this.isHeld) event.preventDefault();
    });
    // A selection of text may end beside the dialog, so the press counts too.
    let isPressedBeside = false;
    this.root.addEventListener('pointerdown', (event) => { isPressedBeside = this.#isBeside(event); });
    this.root.addEventListener('click', (event) => {
      if (isPressedBeside && this.#isBeside(event)) this.#dismiss();
    });
  }

  /** True while the user must not interrupt an operation. */
  isHeld = false;

  /** Shows the dialog. Resolves when it closes. */
  show() {
    document.body.append(this.root);
    this.root.showModal();
    return new Promise((resolve) => { this.#closed = resolve; });
  }

  close() {
    if (this.root.open) this.root.close();
  }

  #dismiss() {
    if (!this.isHeld) this.close();
  }

  /** Returns true for an event beside the dialog. The browser sends such events to the dialog itself. */
  #isBeside({ target, clientX, clientY }) {
    const { left, right, top, bottom } = this.root.getBoundingClientRect();
    return target === this.root && (clientX < left || clientX > right || clientY < top || clientY > bottom);
  }
}
