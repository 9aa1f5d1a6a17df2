import { MotionLimit, isCalm } from '../common/motion.js';
import { ClusterList } from './cluster-list.js';
import { clusterIcon, pinIcon } from './pin.js';
import { popupOptions } from './popup-options.js';

const { L } = globalThis;
const newMs = 4_000;
const newMost = 6;
const clusterPixels = 44;
/** Distance between a cluster's pins and the map's edge after a zoom to them, in pixels. */
const edgePixels = 56;

/**
 * The latest posts as pins. Pins that are close together form clusters. A pin never leaves its place: a list has the
 * pins of a cluster that no zoom separates.
 */
export class Pins {
  /** For each id: the entry, its marker, and true if the post belongs to the user. */
  #pins = new Map();
  #motions = new MotionLimit(newMost);
  #layer = L.markerClusterGroup({
    iconCreateFunction: clusterIcon, showCoverageOnHover: false, maxClusterRadius: clusterPixels, animate: !isCalm(),
    spiderfyOnMaxZoom: false, zoomToBoundsOnClick: false,
  });
  #map;
  #pane;
  #isOwn;
  #content;
  #list;
  /** The popup of a pin. It is independent of the marker, because a cluster may hide the marker at any time. */
  #popup = null;
  #lit = null;
  /** The id of the post whose pin or cluster has the keyboard's focus, or null. */
  #focused = null;

  /**
   * @param {function(string): boolean} isOwn Returns true if a post belongs to the user.
   * @param {function(Object): Node} content Returns the content of an entry's popup.
   */
  constructor(map, isOwn, content) {
    [this.#map, this.#isOwn, this.#content] = [map, isOwn, content];
    this.#pane = map.getPane('markerPane');
    this.#list = new ClusterList(map, isOwn, (id) => this.open(id));
    this.#layer.addTo(map);
    this.#layer.on('click', ({ layer }) => this.#toggle(layer.options.id));
    this.#layer.on('clusterclick', ({ layer }) => this.#openCluster(layer));
    this.#layer.on('animationend', () => this.#settle());
    map.on('moveend', () => this.#settle());
    this.#followKeys();
  }

  /**
   * Shows a pin for each entry, and removes all other pins. Keeps unchanged pins. Pins of posts in `changed` appear
   * with an animation, unless they are too many.
   */
  show(entries, changed) {
    const ids = new Set(entries.map(({ id }) => id));
    const [removed, added, restyled] = [[], [], []];
    for (const [id, { marker }] of this.#pins) {
      if (ids.has(id)) continue;
      removed.push(marker);
      this.#pins.delete(id);
    }
    for (const entry of entries) {
      const known = this.#pins.get(entry.id);
      const isOwn = this.#isOwn(entry.id);
      if (known?.entry.seq === entry.seq && known.isOwn === isOwn) continue;
      const isNew = changed.has(entry.id) && this.#motions.begin(newMs);
      if (known?.marker.getLatLng().equals([entry.latitude, entry.longitude])) {
        Object.assign(known, { entry, isOwn });
        restyled.push(known.marker);
      } else {
        if (known) removed.push(known.marker);
        const marker = L.marker([entry.latitude, entry.longitude], { id: entry.id, riseOnHover: true });
        this.#pins.set(entry.id, { entry, isOwn, marker });
        added.push(marker);
      }
      this.#dress(entry.id, isNew);
    }
    if (removed.length) this.#layer.removeLayers(removed);
    if (added.length) this.#layer.addLayers(added);
    if (restyled.length) this.#layer.refreshClusters(restyled);
    this.#list.follow(entries);
    this.#followPopup(new Set([...added, ...restyled]));
    this.#settle();
  }

  /** Returns the position of a post's pin. Undefined if the post has no pin. */
  place(id) {
    return this.#pins.get(id)?.marker.getLatLng();
  }

  /** Returns the zoom from which a post's pin is in no cluster. Zero if each zoom has it in one. */
  zoomAlone(id) {
    const zoom = this.#pins.get(id).marker.__parent._zoom + 1;
    return zoom > this.#map.getMaxZoom() ? 0 : zoom;
  }

  /** Lights the pin of a post, or the cluster that contains the pin. Null lights none. */
  light(id) {
    this.#lit = id;
    this.#settle();
  }

  /** Opens the popup of a post's pin. The map moves to show the whole popup, unless `isStill` is true. */
  open(id, { isStill = false } = {}) {
    const { marker } = this.#pins.get(id) ?? {};
    if (!marker) return;
    const origin = () => this.#element(id);
    this.#popup = L.popup({ ...popupOptions(this.#map), id, offset: [0, -28], origin, autoPan: !isStill })
      .setLatLng(marker.getLatLng()).setContent(() => this.#content(this.#pins.get(id).entry));
    this.#map.openPopup(this.#popup);
    // The map moves only for a popup that the user opens, and not for a change of the post.
    this.#popup.options.autoPan = false;
  }

  #toggle(id) {
    if (this.#popup?.isOpen() && this.#popup.options.id === id) this.#map.closePopup();
    else this.open(id);
  }

  /** Adapts the open popup to the changes of its post. */
  #followPopup(changed) {
    if (!this.#popup?.isOpen()) return;
    const pin = this.#pins.get(this.#popup.options.id);
    if (!pin) {
      this.#map.closePopup(this.#popup);
    } else if (changed.has(pin.marker)) {
      const hadFocus = this.#popup.getElement().contains(document.activeElement);
      this.#popup.setLatLng(pin.marker.getLatLng());
      this.#popup.update();
      if (hadFocus) this.#popup.getElement().querySelector('[tabindex]').focus({ preventScroll: true });
    }
  }

  #openCluster(cluster) {
    if (!this.#isOnePlace(cluster)) {
      cluster.zoomToBounds({ padding: [edgePixels, edgePixels] });
      return;
    }
    const entries = cluster.getAllChildMarkers().map(({ options }) => this.#pins.get(options.id).entry);
    this.#list.open(entries, cluster.getLatLng(), () => this.#element(entries[0].id));
  }

  /** Returns true if no zoom separates a cluster's pins. */
  #isOnePlace(cluster) {
    if (this.#map.getZoom() >= this.#map.getMaxZoom()) return true;
    const [corner, opposite] = [cluster.getBounds().getSouthWest(), cluster.getBounds().getNorthEast()]
      .map((point) => this.#map.project(point, this.#map.getMaxZoom()));
    return corner.distanceTo(opposite) < clusterPixels;
  }

  /** Gives a post's marker its icon. */
  #dress(id, isNew = false) {
    const { entry, isOwn, marker } = this.#pins.get(id);
    marker.options.isOwn = isOwn;
    marker.setZIndexOffset(isOwn ? 1_000 : 0);
    marker.setIcon(pinIcon(entry, { isOwn, isNew }));
    // Replace the icon, because its animation would repeat whenever the pin leaves its cluster.
    if (isNew) setTimeout(() => { if (this.#pins.get(id)?.marker === marker) this.#dress(id); }, newMs);
  }

  /** Returns the element of a post's pin or of the cluster that contains it. Undefined if it is not in view. */
  #element(id) {
    const { marker } = this.#pins.get(id) ?? {};
    return marker && this.#layer.getVisibleParent(marker)?.getElement();
  }

  /** Restores the light and the focus after pins have formed other clusters. */
  #settle() {
    const lit = this.#element(this.#lit);
    for (const other of this.#pane.querySelectorAll('.lit')) if (other !== lit) other.classList.remove('lit');
    lit?.classList.add('lit');
    if (this.#focused && document.activeElement === document.body) {
      this.#element(this.#focused)?.focus({ preventScroll: true });
    }
  }

  #followKeys() {
    document.addEventListener('focusin', ({ target }) => {
      this.#focused = this.#pane.contains(target) ? target.dataset.id : null;
    });
    document.addEventListener('pointerdown', () => { this.#focused = null; });
    this.#pane.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' && event.key !== ' ') return;
      event.preventDefault();
      event.target.click();
    });
  }
}
