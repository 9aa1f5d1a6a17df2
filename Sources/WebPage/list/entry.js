import { pinPath } from '../address.js';
import { element } from '../common/element.js';
import { age, initial, moment, say } from '../common/language.js';
import { link } from '../common/link.js';
import { personHue } from '../map/person-hue.js';

/**
 * Returns the parts of an entry, from which each view makes its rows. A `bdi` keeps a name in a right-to-left script
 * from reordering the text around it.
 *
 * @param {boolean} isOwn True if the post belongs to the user.
 */
export function entryParts(entry, isOwn) {
  return {
    disc: element(`span.disc.${personHue(entry, isOwn)}`, { 'aria-hidden': 'true' }, initial(entry.name)),
    name: element('a.name', { href: pinPath(entry.id) }, element('bdi', {}, entry.name)),
    mark: isOwn ? element('span.mark', {}, say('own')) : null,
    place: element('bdi', {}, entry.place),
    link: link(entry, entry.host),
    time: element('time', { datetime: entry.updatedAt, title: moment(entry.updatedMs) }, age(entry.updatedMs)),
  };
}
