import { element } from '../common/element.js';
import { initial, say } from '../common/language.js';

const { L } = globalThis;

/** A sign that says what it is to those who do not see it. */
const NamedIcon = L.DivIcon.extend({
  createIcon(old) {
    const made = L.DivIcon.prototype.createIcon.call(this, old);
    made.setAttribute('role', 'button');
    made.setAttribute('aria-label', this.options.label);
    return made;
  },
});

/** The sign of a post: whose it is says the colour, and a ring for those who do not see colours. */
export function pinIcon(entry, { isOwn = false, isNew = false } = {}) {
  const classes = ['pin', isOwn ? 'own' : '', isNew ? 'new' : ''].filter(Boolean).join(' ');
  const label = say(isOwn ? 'pin.own' : 'pin.of', { name: entry.name, place: entry.label || entry.place });
  return new NamedIcon({
    className: classes, label, html: element('span', {}, initial(entry.name)),
    iconSize: [30, 38], iconAnchor: [15, 37], popupAnchor: [0, -34],
  });
}

/** The sign of many posts. */
export function clusterIcon(cluster) {
  const count = cluster.getChildCount();
  const hasOwn = cluster.getAllChildMarkers().some((marker) => marker.options.isOwn);
  return new NamedIcon({
    className: hasOwn ? 'cluster own' : 'cluster', label: say('pin.many', { n: count }),
    html: element('span', {}, String(count)), iconSize: [40, 40],
  });
}

/** The sign that one drags. */
export function draftIcon() {
  return new NamedIcon({
    className: 'pin own draft', label: say('adding.drag'), html: element('span', {}, '+'),
    iconSize: [30, 38], iconAnchor: [15, 37],
  });
}
