import { element } from '../common/element.js';
import { say } from '../common/language.js';

/** Creates a section of the account's page. Its heading is the text with the section's name. */
export function setting(name, ...children) {
  const id = `${name}-title`;
  return element('section.setting', { 'aria-labelledby': id },
    element('h3', { id, tabindex: '-1' }, say(name)), ...children);
}
