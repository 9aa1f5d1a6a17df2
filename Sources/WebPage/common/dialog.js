import { element } from './element.js';
import { say } from './language.js';

/**
 * A modal dialog. Escape, the cross and `close` close the dialog. The browser keeps the focus inside, and restores the
 * previous focus afterwards.
 */
export class Dialog {
  #closed;

  /**
   * @param {string} title
   * @param {string} kind A class of the dialog.
   */
  constructor(title, kind = '') {
    this.title = element('h2', { id: `${kind}-title`, tabindex: '-1' }, title);
    this.body = element('div.dialog-body');
    const cross = element(
      'button.icon', { type: 'button', 'aria-label': say('close'), onclick: () => this.close() }, '×');
    this.root = element(
      `dialog.${kind}`, { 'aria-labelledby': `${kind}-title` },
      element('header', {}, this.title, cross), this.body);
    this.root.addEventListener('close', () => {
      this.root.remove();
      this.#closed?.();
    });
    this.root.addEventListener('cancel', (event) => {
      if (this.isHeld) event.preventDefault();
    });
  }

  /** True while Escape must not interrupt an operation. */
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
}
