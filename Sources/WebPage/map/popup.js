import { element } from '../common/element.js';
import { age, moment, say } from '../common/language.js';
import { share, shareLabel } from '../share.js';
import { pinPath } from '../address.js';

/** Options of a pin's popup for Leaflet. */
export const popupOptions = { minWidth: 200, maxWidth: 280, autoPanPadding: [16, 16] };

/**
 * Returns the content of a pin's popup.
 *
 * @param {Object} entry
 * @param {{isOwn: boolean, isOlder: boolean, edit: function, drop: function}} context True for the user's own post,
 *   true for a post that is too old for the list, and the actions of the post's owner.
 */
export function popupContent(entry, { isOwn, isOlder, edit, drop }) {
  const button = (text, run) => element('button', { type: 'button', onclick: run }, text);
  return element(
    'div.popup', { role: 'group', 'aria-label': pinTitle(entry), tabindex: '-1' },
    element('strong', { dir: 'auto' }, entry.name),
    element('span', { dir: 'auto' }, entry.place),
    entry.label && entry.label !== entry.place ? element('span.quiet', {}, entry.label) : null,
    link(entry, entry.host),
    element('time.quiet', { datetime: entry.updatedAt, title: moment(entry.updatedMs) }, age(entry.updatedMs)),
    isOlder ? element('p.notice', {}, say(isOwn ? 'pin.older.own' : 'pin.older')) : null,
    element('div.actions', {},
      button(shareLabel(), () => share(pinPath(entry.id), pinTitle(entry))),
      isOwn ? button(say('edit'), edit) : null,
      isOwn ? button(say('delete'), drop) : null));
}

/** Returns the title of a pin for the window and for other apps. */
export function pinTitle(entry) {
  return say('pin.of', { name: entry.name, place: entry.label || entry.place });
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
