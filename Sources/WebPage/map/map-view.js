import { isCalm } from '../common/motion.js';
import { say } from '../common/language.js';
import { HoverName } from './hover-name.js';
import { addButtons, mapButton } from './map-buttons.js';
import { positionButton } from './my-position.js';
import { OldPin } from './old-pin.js';
import { Pick } from './pick.js';
import { Pins } from './pins.js';
import { AntarcticCover, makeMap, showPlaces, showWorld } from './world-map.js';

const { L } = globalThis;
/** Maximum zoom of the first view, which needs only the coarse land, and minimum zoom of a view of one pin. */
const [firstZoomMax, pinZoomMin] = [4, 6];
const globe = ['M8 1.5a6.5 6.5 0 1 0 .1 0Z', 'M8 1.5c-3.6 4-3.6 9 0 13c3.6-4 3.6-9 0-13', 'M1.5 8h13'];

/**
 * The map with all pins. Fires `open` and `close` with a post's id when the popup of its pin opens or closes. Fires
 * `hover` with the id of the post whose pin is under the mouse or has the focus, or with null. Fires `pick` with a
 * latitude and a longitude when the user wants a pin there.
 */
export class MapView extends EventTarget {
  #map;
  #pins;
  #old;
  #cover;
  #latest;
  #isDue = false;
  #changed = new Set();
  /** True while popups close without the user's choice. */
  #isQuiet = false;
  /** True until the map has moved to the pins of the first list, or the user has moved the map. */
  #isFirstView = true;
  /** The id of the post to whose pin the map flies. */
  #goal = null;

  /** The id of the post whose popup is open, or null. */
  opened = null;

  /**
   * @param {HTMLElement} place
   * @param {Latest} latest
   * @param {Object|null} tiles The raster tiles that the operator has configured.
   * @param {function(string): boolean} isOwn
   * @param {function(Object): Node} popup Returns the content of an entry's popup.
   */
  constructor(place, latest, tiles, isOwn, popup) {
    super();
    this.#latest = latest;
    this.#map = makeMap(place, tiles);
    this.#pins = new Pins(this.#map, isOwn, popup);
    this.#old = new OldPin(this.#map, popup);
    this.#cover = new AntarcticCover(this.#map, tiles);
    this.#addControls();
    this.#followUser(place);
    this.#map.on('popupopen popupclose', ({ type, popup: { options } }) => {
      if (options.id) this.#follow(type === 'popupopen', options.id);
    });
    this.#map.on('popupopen', ({ popup: { _closeButton: cross } }) => cross?.setAttribute('aria-label', say('close')));
    this.#map.on('popupclose', (event) => this.#restoreFocus(event.popup));
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
    const places = this.#latest.entries.map(({ latitude, longitude }) => L.latLng(latitude, longitude));
    this.#cover.reveal(places);
    this.#showFirst(places);
    // The removal of a post closes its popup.
    this.#quietly(() => this.#pins.show(this.#latest.entries, this.#changed));
    this.#changed.clear();
  }

  /** Does something that may close a popup, without an event. */
  #quietly(run) {
    this.#isQuiet = true;
    run();
    this.#isQuiet = false;
  }

  /** Moves to the places of all pins, once, if the map is in view and has a list. */
  #showFirst(places) {
    if (!this.#isFirstView || this.#latest.epoch === null || this.#map.getSize().x === 0) return;
    this.#isFirstView = false;
    if (!places.length) return;
    showPlaces(this.#map, places, { maxZoom: firstZoomMax, animate: false });
  }

  #addControls() {
    const world = mapButton(say('map.world'), globe, () => showWorld(this.#map));
    addButtons(this.#map, ...[world, positionButton(this.#map)].filter(Boolean));
    L.control.scale({ imperial: false, maxWidth: 130 }).addTo(this.#map);
  }

  #followUser(place) {
    place.setAttribute('role', 'group');
    place.setAttribute('aria-label', say('map'));
    for (const type of ['pointerdown', 'wheel', 'keydown']) {
      place.addEventListener(type, () => { this.#isFirstView = false; }, { passive: true });
    }
    place.addEventListener('keydown', ({ key }) => { if (key === 'Escape') this.#map.closePopup(); });
    new HoverName(this.#map, (id) => this.#latest.entry(id)?.name);
    this.#map.on('pinhover', ({ id }) => this.#fire('hover', id));
    new Pick(this.#map, (point) => this.#fire('pick', point));
  }

  #fire(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }

  #follow(isOpen, id) {
    this.opened = isOpen ? id : null;
    if (this.#isQuiet) return;
    if (isOpen) {
      this.#goal = null;
      this.#fire('open', id);
      return;
    }
    // The popup of another pin closes this one, and opens in the same task.
    queueMicrotask(() => { if (this.opened === null) this.#fire('close', id); });
  }

  /** Gives the focus of a popup that closes to the pin of the popup, or to the map. */
  #restoreFocus(popup) {
    const { activeElement } = document;
    if (activeElement !== document.body && !popup.getElement().contains(activeElement)) return;
    (popup.options.origin?.() ?? this.#map.getContainer()).focus({ preventScroll: true });
  }

  /** Adapts the map to its new size. Call this after the element becomes visible or changes its size. */
  resize() {
    this.#map.invalidateSize({ animate: false });
    if (this.#isFirstView) this.redraw();
  }

  /** Lights the pin of a post. Null lights none. */
  light(id) {
    this.#pins.light(id);
  }

  /** Moves to a post's pin, unless `isStill` is true, and opens the pin's popup. */
  open(id, { isStill = false } = {}) {
    this.#draw();
    const place = this.#pins.place(id);
    if (!place) return;
    this.#removeOld();
    const open = () => this.#pins.open(id, { isStill });
    if (isStill) open();
    else this.#flyToPin(id, place, this.#pins.zoomAlone(id), open);
  }

  /**
   * Opens the popup of a post that is not among the latest ones, as `open` does. Its pin disappears with the popup.
   */
  openOld(entry, { isStill = false } = {}) {
    this.#draw();
    this.#removeOld();
    this.#cover.reveal([{ lat: entry.latitude }]);
    const open = () => this.#old.open(entry, { isStill });
    if (isStill) open();
    else this.#flyToPin(entry.id, [entry.latitude, entry.longitude], 0, open);
  }

  /** Draws the popup of such a pin again. */
  redrawOld() {
    this.#old.redraw();
  }

  /** Closes the popup of a pin without an event, and ends any flight to a pin. Other popups stay open. */
  close() {
    this.#goal = null;
    if (this.opened !== null) this.#quietly(() => this.#map.closePopup());
    this.#removeOld();
  }

  #removeOld() {
    this.#quietly(() => this.#old.remove());
  }

  #flyToPin(id, place, zoom, open) {
    this.#goal = id;
    // Opening a pin may move the map again, so wait until the event has ended.
    this.#map.once('moveend', () => setTimeout(() => {
      if (this.#goal === id) open();
    }));
    this.#map.flyTo(
      place, Math.max(this.#map.getZoom(), pinZoomMin, zoom), { animate: !isCalm(), duration: 1 });
  }
}
