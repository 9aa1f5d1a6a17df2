import { isCalm } from '../common/motion.js';
import { clusterIcon, pinIcon } from './pin.js';
import { popupContent } from './popup.js';

const { L } = globalThis;
const newMs = 4_000;
const clusterPixels = 44;

/** The latest posts as pins. Pins that are close together form clusters. */
export class Pins {
  #markers = new Map();
  #layer = L.markerClusterGroup({
    iconCreateFunction: clusterIcon, showCoverageOnHover: false, maxClusterRadius: clusterPixels,
    spiderLegPolylineOptions: { className: 'spider-leg' }, animate: !isCalm(),
  });
  #map;
  #isOwn;

  /** @param {function(string): boolean} isOwn Returns true if a post belongs to the user. */
  constructor(map, isOwn) {
    this.#map = map;
    this.#isOwn = isOwn;
    this.#layer.addTo(map);
  }

  /**
   * Shows a pin for each entry, and removes all other pins. Keeps unchanged pins. Pins of posts in `changed` appear
   * with an animation.
   */
  show(entries, changed) {
    const wanted = new Map(entries.map((entry) => [entry.id, entry]));
    const opened = [...this.#markers.values()].find(({ marker }) => marker.isPopupOpen())?.entry.id;
    const removed = [];
    for (const [id, { entry, marker }] of this.#markers) {
      const current = wanted.get(id);
      if (current?.seq === entry.seq && marker.options.isOwn === this.#isOwn(id)) continue;
      removed.push(marker);
      this.#markers.delete(id);
    }
    this.#layer.removeLayers(removed);
    const added = entries.filter((entry) => !this.#markers.has(entry.id));
    this.#layer.addLayers(added.map((entry) => this.#add(entry, changed.has(entry.id))));
    // An open popup stays open, even if another post's change folds its cluster.
    if (this.#markers.get(opened)?.marker.isPopupOpen() === false) this.open(opened);
  }

  /** Returns the position of a post's pin. Undefined if the post has no pin. */
  place(id) {
    return this.#markers.get(id)?.marker.getLatLng();
  }

  /** Opens the popup of a post's pin. Opens the pin's cluster first. */
  open(id) {
    const marker = this.#markers.get(id)?.marker;
    if (!marker) return;
    // Retry after the event's other listeners, because the end of a zoom folds every open cluster. During an animation,
    // a cluster does not open, and reports no error.
    const retry = () => setTimeout(() => this.open(id));
    if (this.#layer._inZoomAnimation) {
      this.#layer.once('animationend', retry);
      return;
    }
    const shown = this.#layer.getVisibleParent(marker);
    if (shown === marker) {
      marker.openPopup();
    } else if (shown !== null && this.#isOnePlace(shown)) {
      this.#layer.once('spiderfied', () => marker.openPopup());
      shown.spiderfy();
    } else if (shown !== null) {
      this.#map.once('moveend', retry);
      shown.zoomToBounds();
    }
  }

  /** Returns true if no zoom separates a cluster's pins. */
  #isOnePlace(cluster) {
    if (this.#map.getZoom() >= this.#map.getMaxZoom()) return true;
    const [corner, opposite] = [cluster.getBounds().getSouthWest(), cluster.getBounds().getNorthEast()]
      .map((point) => this.#map.project(point, this.#map.getMaxZoom()));
    return corner.distanceTo(opposite) < clusterPixels;
  }

  #add(entry, isNew) {
    const isOwn = this.#isOwn(entry.id);
    const marker = L.marker([entry.latitude, entry.longitude], {
      icon: pinIcon(entry, { isOwn, isNew }), id: entry.id, isOwn, riseOnHover: true,
      zIndexOffset: isOwn ? 1_000 : 0,
    });
    marker.bindPopup(() => popupContent(entry), { maxWidth: 280, autoPanPadding: [16, 16] });
    this.#markers.set(entry.id, { entry, marker });
    // Replace the icon, because its animation would repeat whenever the cluster opens.
    if (isNew) setTimeout(() => marker.setIcon(pinIcon(entry, { isOwn })), newMs);
    return marker;
  }
}
