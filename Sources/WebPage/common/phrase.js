import { element } from './element.js';
import { say } from './language.js';

/**
 * Returns a text in the page's language as nodes. Each value becomes a `<bdi>` element, so that a right-to-left name
 * does not reorder the words around it.
 */
export function phrase(name, values) {
  return say(name).split(/\{(\w+)\}/).map((part, index) => (index % 2 ? element('bdi', {}, values[part]) : part));
}
