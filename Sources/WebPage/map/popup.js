import { element } from '../common/element.js';
import { age, moment, say } from '../common/language.js';
import { link } from '../common/link.js';
import { pinTitle } from '../common/title.js';
import { share, shareLabel } from '../share.js';
import { pinPath } from '../address.js';

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
