import { isCalm } from '../common/motion.js';
import { say } from '../common/language.js';
import { baseMap } from './base-map.js';
import { Pins } from './pins.js';

const { L } = globalThis;

/** The map with all pins. */
export class MapView {
  #map;
  #pins;
  #latest;
  #isDue = false;
  #changed = new Set();

  /**
   * @param {HTMLElement} place
   * @param {Latest} latest
   * @param {Object|null} tiles The raster tiles that the operator has configured.
   * @param {function(string): boolean} isOwn
   */
  constructor(place, latest, tiles, isOwn) {
    this.#latest = latest;
    this.#map = makeMap(place, tiles);
    this.#pins = new Pins(this.#map, isOwn);
    latest.addEventListener('change', ({ detail }) => {
      for (const id of detail.changed) this.#changed.add(id);
      this.redraw();
    });
    this.redraw();
  }

  /** Draws all changes with the next animation frame. */
  redraw() {
    if (this.#isDue) return;
    this.#isDue = true;
    requestAnimationFrame(() => this.#draw());
  }

  #draw() {
    if (!this.#isDue) return;
    this.#isDue = false;
    this.#pins.show(this.#latest.entries, this.#changed);
    this.#changed.clear();
  }

  /** Adapts the map to its new size. Call this after the element becomes visible or changes its size. */
  resize() {
    this.#map.invalidateSize({ animate: false });
  }

  /** Moves to a post's pin and opens its popup. Returns false if the post has no pin. */
  open(id) {
    this.#draw();
    const place = this.#pins.place(id);
    if (!place) return false;
    // Opening a pin may move the map again, so wait until the event has ended.
    const arrived = () => {
      this.#map.off('moveend', arrived);
      setTimeout(() => this.#pins.open(id));
    };
    this.#map.on('moveend', arrived);
    this.flyTo(place.lat, place.lng);
    return true;
  }

  /** Moves to a point. */
  flyTo(latitude, longitude) {
    this.#map.flyTo([latitude, longitude], Math.max(this.#map.getZoom(), 6), { animate: !isCalm(), duration: 1 });
  }
}

/** Creates a map with its base map and buttons. */
export function makeMap(place, tiles) {
  const moves = !isCalm();
  const map = L.map(place, {
    minZoom: 1, maxZoom: tiles ? 18 : 11, zoomSnap: 0.5, worldCopyJump: true, zoomControl: false,
    fadeAnimation: moves, zoomAnimation: moves, markerZoomAnimation: moves, inertia: moves,
    // Safari supports pointer events. Leaflet's substitute for them would open a popup and close it again.
    tap: false,
  });
  L.control.zoom({ position: 'bottomright', zoomInTitle: say('zoom.in'), zoomOutTitle: say('zoom.out') }).addTo(map);
  map.attributionControl.setPrefix(false);
  baseMap(map, tiles);
  map.setView([25, 5], Math.max(fillingZoom(place.clientHeight), place.clientWidth < 700 ? 1 : 2));
  return map;
}

/** Returns the zoom at which the world is as high as the map's element. The map is empty beyond the poles. */
function fillingZoom(pixels) {
  return Math.ceil(2 * Math.log2(pixels / 256)) / 2;
}
