import { element } from '../common/element.js';
import { initial, say } from '../common/language.js';

const { L } = globalThis;

/** An icon with a label for screen readers. */
const NamedIcon = L.DivIcon.extend({
  createIcon(old) {
    const node = L.DivIcon.prototype.createIcon.call(this, old);
    node.setAttribute('role', 'button');
    node.setAttribute('aria-label', this.options.label);
    return node;
  },
});

/**
 * Returns the icon of a post. The user's own posts have another colour, and a ring for people who do not see colours.
 */
export function pinIcon(entry, { isOwn = false, isNew = false } = {}) {
  const classes = ['pin', isOwn ? 'own' : '', isNew ? 'new' : ''].filter(Boolean).join(' ');
  const label = say(isOwn ? 'pin.own' : 'pin.of', { name: entry.name, place: entry.label || entry.place });
  return new NamedIcon({
    className: classes, label, html: element('span', {}, initial(entry.name)),
    iconSize: [30, 38], iconAnchor: [15, 37], popupAnchor: [0, -34],
  });
}

/** Returns the icon of a cluster. */
export function clusterIcon(cluster) {
  const count = cluster.getChildCount();
  const hasOwn = cluster.getAllChildMarkers().some((marker) => marker.options.isOwn);
  return new NamedIcon({
    className: hasOwn ? 'cluster own' : 'cluster', label: say('pin.many', { n: count }),
    html: element('span', {}, String(count)), iconSize: [40, 40],
  });
}

/** Returns the icon of the draggable pin. */
export function draftIcon() {
  return new NamedIcon({
    className: 'pin own draft', label: say('adding.drag'), html: element('span', {}, '+'),
    iconSize: [30, 38], iconAnchor: [15, 37],
  });
}
