import { element } from './element.js';

/** The place of a view's entries while there are none: a text, and a button with the action that the text suggests. */
export class Empty {
  root = element('div.empty', { role: 'status' });
  #text = '';

  /**
   * Shows a text. An empty one hides the element.
   *
   * @param {string} text
   * @param {{label: string, run: function}|null} [action]
   */
  show(text, action = null) {
    // A new button would lose the focus, and a screen reader would announce the text again.
    if (text === this.#text) return;
    this.#text = text;
    this.root.replaceChildren(...(text ? [element('p', {}, text)] : []), ...(action
      ? [element('button', { type: 'button', onclick: action.run }, action.label)] : []));
  }
}
