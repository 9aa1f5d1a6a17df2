import { isCalm } from '../common/motion.js';
import { say } from '../common/language.js';
import { baseMap } from './base-map.js';
import { Pins } from './pins.js';

const { L } = globalThis;

/** The map of all pins. */
export class MapView {
  #map;
  #pins;
  #latest;
  #isDue = false;
  #news = new Set();

  /**
   * @param {HTMLElement} place
   * @param {Latest} latest
   * @param {Object|null} tiles raster tiles where the operator has set them up
   * @param {function(string): boolean} isOwn
   */
  constructor(place, latest, tiles, isOwn) {
    this.#latest = latest;
    this.#map = makeMap(place, tiles);
    this.#pins = new Pins(this.#map, isOwn);
    latest.addEventListener('change', ({ detail }) => {
      for (const id of detail.news) this.#news.add(id);
      this.redraw();
    });
    this.redraw();
  }

  /** Draws what has changed, with the next picture: however many changes come before it. */
  redraw() {
    if (this.#isDue) return;
    this.#isDue = true;
    requestAnimationFrame(() => this.#draw());
  }

  #draw() {
    if (!this.#isDue) return;
    this.#isDue = false;
    this.#pins.show(this.#latest.entries, this.#news);
    this.#news.clear();
  }

  /** It has become visible, or its place another size. */
  resize() {
    this.#map.invalidateSize({ animate: false });
  }

  /** Goes to a post's pin and opens it there. False where there is none. */
  open(id) {
    this.#draw();
    const place = this.#pins.place(id);
    if (!place) return false;
    // Not within it: to open a pin may move the map again.
    const arrived = () => {
      this.#map.off('moveend', arrived);
      setTimeout(() => this.#pins.open(id));
    };
    this.#map.on('moveend', arrived);
    this.flyTo(place.lat, place.lng);
    return true;
  }

  /** Goes to a point. */
  flyTo(latitude, longitude) {
    this.#map.flyTo([latitude, longitude], Math.max(this.#map.getZoom(), 6), { animate: !isCalm(), duration: 1 });
  }
}

/** A map with its ground and its buttons. */
export function makeMap(place, tiles) {
  const moves = !isCalm();
  const map = L.map(place, {
    minZoom: 1, maxZoom: tiles ? 18 : 11, zoomSnap: 0.5, worldCopyJump: true, zoomControl: false,
    fadeAnimation: moves, zoomAnimation: moves, markerZoomAnimation: moves, inertia: moves,
    // Safari has had pointer events for years: what stands in for them there opens popups and closes them again.
    tap: false,
  });
  L.control.zoom({ position: 'bottomright', zoomInTitle: say('zoom.in'), zoomOutTitle: say('zoom.out') }).addTo(map);
  map.attributionControl.setPrefix(false);
  baseMap(map, tiles);
  map.setView([25, 5], Math.max(fillingZoom(place.clientHeight), place.clientWidth < 700 ? 1 : 2));
  return map;
}

/** At which the world is as high as its window: beyond the poles there is nothing to see. */
function fillingZoom(pixels) {
  return Math.ceil(2 * Math.log2(pixels / 256)) / 2;
}
