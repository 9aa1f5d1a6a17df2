import { element } from '../common/element.js';
import { initial, say } from '../common/language.js';
import { personHue } from './person-hue.js';

const { L } = globalThis;
/** The sizes of clusters: a class, the diameter in pixels, and the smallest count of pins. */
const sizes = [['large', 54, 50], ['medium', 46, 10], ['small', 38, 0]];

/** An icon with a label for screen readers. `id` is the post's, or that of any post in a cluster. */
const NamedIcon = L.DivIcon.extend({
  createIcon(old) {
    const { label, id } = this.options;
    const node = L.DivIcon.prototype.createIcon.call(this, old);
    node.setAttribute('role', 'button');
    node.setAttribute('aria-label', label);
    if (id) node.dataset.id = id;
    return node;
  },
});

/**
 * Returns the icon of a post, in its owner's colour. The user's own posts have another colour, and a ring for people
 * who do not see colours.
 */
export function pinIcon(entry, { isOwn = false, isNew = false } = {}) {
  const classes = ['pin', personHue(entry, isOwn), isNew ? 'new' : ''].filter(Boolean).join(' ');
  const label = say(isOwn ? 'pin.own' : 'pin.of', { name: entry.name, place: entry.place });
  return new NamedIcon({
    className: classes, label, id: entry.id, html: element('span', {}, initial(entry.name)),
    iconSize: [30, 38], iconAnchor: [15, 37], popupAnchor: [0, -34],
  });
}

/** Returns the icon of a cluster. More pins make a larger and stronger one. */
export function clusterIcon(cluster) {
  const count = cluster.getChildCount();
  const markers = cluster.getAllChildMarkers();
  const hasOwn = markers.some((marker) => marker.options.isOwn);
  const [size, pixels] = sizes.find(([, , least]) => count >= least);
  return new NamedIcon({
    className: `cluster ${size}${hasOwn ? ' own' : ''}`, label: say(hasOwn ? 'pin.many.own' : 'pin.many', { n: count }),
    id: markers[0].options.id, html: element('span', {}, String(count)), iconSize: [pixels, pixels],
  });
}

/** Returns the icon of the draggable pin. */
export function draftIcon() {
  return new NamedIcon({
    className: 'pin own draft', label: say('adding.drag'), html: element('span', {}, '+'),
    iconSize: [30, 38], iconAnchor: [15, 37],
  });
}
