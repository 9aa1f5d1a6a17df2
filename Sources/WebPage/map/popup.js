import { element } from '../common/element.js';
import { moment, say } from '../common/language.js';

/** Returns the content of a pin's popup. */
export function popupContent(entry) {
  return element(
    'div.popup', {},
    element('strong', {}, entry.name),
    element('span', {}, entry.place),
    entry.label && entry.label !== entry.place ? element('span.quiet', {}, entry.label) : null,
    link(entry),
    element('time.quiet', { datetime: entry.updatedAt }, moment(entry.updatedMs)));
}

/**
 * Returns a link that opens in a new tab without access to this tab. Returns plain text for an entry without a web
 * address.
 */
export function link(entry, text = entry.link) {
  if (entry.host === null) return element('span.quiet', {}, entry.link || say('no-link'));
  return element(
    'a', { href: entry.link, target: '_blank', rel: 'noopener noreferrer nofollow ugc' }, text);
}
