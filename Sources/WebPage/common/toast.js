import { announce } from './announce.js';
import { byId, element } from './element.js';
import { say } from './language.js';

const longMs = 8_000;

/**
 * A line at the page's end that goes by itself, with something to do about it.
 *
 * @param {string} text
 * @param {{label: string, run: function}} [action]
 * @param {number} [ms] how long it stays
 * @returns {function} takes it away
 */
export function toast(text, action = null, ms = longMs) {
  const line = element('div.toast', {}, element('span', {}, text));
  const close = () => {
    clearTimeout(timer);
    line.remove();
  };
  if (action) {
    line.append(element('button.plain', { type: 'button', onclick: () => { close(); action.run(); } }, action.label));
  }
  line.append(element('button.icon', { type: 'button', 'aria-label': say('close'), onclick: close }, '×'));
  const timer = setTimeout(close, ms);
  byId('toasts').append(line);
  announce(text);
  return close;
}
