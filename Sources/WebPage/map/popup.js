import { element } from '../common/element.js';
import { moment, say } from '../common/language.js';

/** What a pin tells when it is opened. */
export function popupContent(entry) {
  return element(
    'div.popup', {},
    element('strong', {}, entry.name),
    element('span', {}, entry.place),
    entry.label && entry.label !== entry.place ? element('span.quiet', {}, entry.label) : null,
    link(entry),
    element('time.quiet', { datetime: entry.updatedAt }, moment(entry.updatedMs)));
}

/** A link that opens in another tab, which learns nothing of this one; or the text that it is where it is none. */
export function link(entry, text = entry.link) {
  if (entry.host === null) return element('span.quiet', {}, entry.link || say('no-link'));
  return element(
    'a', { href: entry.link, target: '_blank', rel: 'noopener noreferrer nofollow ugc' }, text);
}
