import { element } from '../common/element.js';
import { say } from '../common/language.js';
import { popupPadding } from './popup-options.js';

const { L } = globalThis;
/** A second click within this time zooms. */
const clickMs = 280;
const holdMs = 550;
/** A finger that moves further drags the map. */
const holdPixels = 10;

/**
 * Offers to add a pin at a point of the map: after a click, a long press, the context menu, or Enter, which takes the
 * centre. A click that closes a popup does nothing else.
 */
export class Pick {
  #map;
  #pick;
  #isOpen = false;
  #timer = null;

  /** @param {function({latitude: number, longitude: number})} pick Called when the user accepts. */
  constructor(map, pick) {
    [this.#map, this.#pick] = [map, pick];
    const ground = map.getContainer();
    map.on('popupopen popupclose', ({ type }) => { this.#isOpen = type === 'popupopen'; });
    map.on('click', ({ latlng }) => {
      clearTimeout(this.#timer);
      if (this.#isOpen) map.closePopup();
      else this.#timer = setTimeout(() => this.#offer(latlng), clickMs);
    });
    map.on('dblclick movestart', () => clearTimeout(this.#timer));
    map.on('contextmenu', ({ latlng, originalEvent }) => { if (isGround(originalEvent)) this.#offer(latlng); });
    ground.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' || event.target !== ground) return;
      // The same key would press the button.
      event.preventDefault();
      this.#offer(map.getCenter()).focus({ preventScroll: true });
    });
    onHold(ground, (event) => this.#offer(map.mouseEventToLatLng(event)));
  }

  /** Opens the popup at a point, unless the point is beside the world. Returns the popup's button. */
  #offer(point) {
    clearTimeout(this.#timer);
    const accept = () => {
      this.#map.closePopup();
      this.#pick({ latitude: point.lat, longitude: point.lng });
    };
    const button = element('button.primary', { type: 'button', onclick: accept }, say('pick'));
    const popup = L.popup({ className: 'pick', closeButton: false, minWidth: 0, ...popupPadding(this.#map) })
      .setLatLng(point).setContent(button);
    if (this.#map.hasPoint(point)) this.#map.openPopup(popup);
    return button;
  }
}

/** Calls `run` when a finger rests on the map. Safari has no context menu for that. */
function onHold(ground, run) {
  let timer = null;
  let start = null;
  const end = () => clearTimeout(timer);
  ground.addEventListener('pointerdown', (event) => {
    end();
    // A second finger zooms.
    if (event.pointerType !== 'touch' || !event.isPrimary || !isGround(event)) return;
    start = event;
    timer = setTimeout(() => {
      run(event);
      // The end of the press would close the popup.
      ground.addEventListener('pointerup', () => {
        const swallow = (click) => click.stopPropagation();
        ground.addEventListener('click', swallow, { capture: true, once: true });
        setTimeout(() => ground.removeEventListener('click', swallow, { capture: true }), clickMs);
      }, { once: true });
    }, holdMs);
  });
  ground.addEventListener('pointermove', ({ clientX, clientY }) => {
    if (start && Math.hypot(clientX - start.clientX, clientY - start.clientY) > holdPixels) end();
  });
  for (const type of ['pointerup', 'pointercancel']) ground.addEventListener(type, end);
}

/** Returns true for an event on the map itself. */
function isGround({ target }) {
  return !target.closest('.leaflet-control, .leaflet-popup, .leaflet-marker-icon');
}
