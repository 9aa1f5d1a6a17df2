import { announce } from './announce.js';
import { byId, element } from './element.js';
import { say } from './language.js';

const longMs = 8_000;

/**
 * Shows a line at the end of the page, with an optional action. The line disappears by itself.
 *
 * @param {string|Node|Array} content
 * @param {{label: string, run: function}} [action]
 * @param {number} [ms] The time until the line disappears, in milliseconds.
 * @returns {function} Removes the line.
 */
export function toast(content, action = null, ms = longMs) {
  const text = element('span', {}, ...[content].flat());
  const line = element('div.toast', {}, text);
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
  announce(text.textContent);
  return close;
}
