import { isCalm } from '../common/motion.js';
import { clusterIcon, pinIcon } from './pin.js';
import { popupContent } from './popup.js';

const { L } = globalThis;
const newMs = 4_000;
const clusterPixels = 44;

/** The latest posts as pins, in clusters where they stand close. */
export class Pins {
  #markers = new Map();
  #layer = L.markerClusterGroup({
    iconCreateFunction: clusterIcon, showCoverageOnHover: false, maxClusterRadius: clusterPixels,
    spiderLegPolylineOptions: { className: 'spider-leg' }, animate: !isCalm(),
  });
  #map;
  #own;

  /** @param {function(string): boolean} isOwn whether a post is of whoever is signed in */
  constructor(map, isOwn) {
    this.#map = map;
    this.#own = isOwn;
    this.#layer.addTo(map);
  }

  /** Shows these, and only these; a pin that stays as it is is left alone. */
  show(entries, news) {
    const wanted = new Map(entries.map((entry) => [entry.id, entry]));
    const opened = [...this.#markers.values()].find(({ marker }) => marker.isPopupOpen())?.entry.id;
    const gone = [];
    for (const [id, { entry, marker }] of this.#markers) {
      const now = wanted.get(id);
      if (now?.seq === entry.seq && marker.options.isOwn === this.#own(id)) continue;
      gone.push(marker);
      this.#markers.delete(id);
    }
    this.#layer.removeLayers(gone);
    const came = entries.filter((entry) => !this.#markers.has(entry.id));
    this.#layer.addLayers(came.map((entry) => this.#add(entry, news.has(entry.id))));
    // Whoever reads one when it changes goes on reading, also where its cluster is folded by another's change.
    if (this.#markers.get(opened)?.marker.isPopupOpen() === false) this.open(opened);
  }

  /** Where a post's pin stands; undefined where there is none. */
  place(id) {
    return this.#markers.get(id)?.marker.getLatLng();
  }

  /** Opens a post's pin where the map shows it, after its cluster where it is in one. */
  open(id) {
    const marker = this.#markers.get(id)?.marker;
    if (!marker) return;
    // Not within what is told: while a zoom ends, all that has fanned out is folded. While clusters are drawn apart one
    // refuses to fan out, and says so to nobody.
    const later = () => setTimeout(() => this.open(id));
    if (this.#layer._inZoomAnimation) {
      this.#layer.once('animationend', later);
      return;
    }
    const shown = this.#layer.getVisibleParent(marker);
    if (shown === marker) {
      marker.openPopup();
    } else if (shown !== null && this.#isOnePlace(shown)) {
      this.#layer.once('spiderfied', () => marker.openPopup());
      shown.spiderfy();
    } else if (shown !== null) {
      this.#map.once('moveend', later);
      shown.zoomToBounds();
    }
  }

  /** Whether no zoom takes a cluster apart. */
  #isOnePlace(cluster) {
    if (this.#map.getZoom() >= this.#map.getMaxZoom()) return true;
    const [corner, opposite] = [cluster.getBounds().getSouthWest(), cluster.getBounds().getNorthEast()]
      .map((point) => this.#map.project(point, this.#map.getMaxZoom()));
    return corner.distanceTo(opposite) < clusterPixels;
  }

  #add(entry, isNew) {
    const isOwn = this.#own(entry.id);
    const marker = L.marker([entry.latitude, entry.longitude], {
      icon: pinIcon(entry, { isOwn, isNew }), id: entry.id, isOwn, riseOnHover: true,
      zIndexOffset: isOwn ? 1_000 : 0,
    });
    marker.bindPopup(() => popupContent(entry), { maxWidth: 280, autoPanPadding: [16, 16] });
    this.#markers.set(entry.id, { entry, marker });
    // Once: it would come again whenever its cluster opens.
    if (isNew) setTimeout(() => marker.setIcon(pinIcon(entry, { isOwn })), newMs);
    return marker;
  }
}
