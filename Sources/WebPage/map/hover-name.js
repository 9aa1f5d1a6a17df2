import { element } from '../common/element.js';

const { L } = globalThis;
const gapPixels = 6;

/**
 * Shows the name of the pin under the mouse or with the keyboard's focus. Fires `pinhover` on the map with the id of
 * the post, or with null.
 */
export class HoverName {
  #map;
  #pane;
  #name;
  #label = element('div.pin-name.leaflet-zoom-hide', { role: 'tooltip', hidden: true });

  /** @param {function(string): string|undefined} name Returns the name at a post's pin. */
  constructor(map, name) {
    [this.#map, this.#pane, this.#name] = [map, map.getPane('markerPane'), name];
    map.getPane('tooltipPane').append(this.#label);
    this.#pane.addEventListener('pointerover', ({ target, pointerType }) => {
      if (pointerType === 'mouse') this.#show(target);
    });
    this.#pane.addEventListener('focusin', ({ target }) => {
      if (target.matches(':focus-visible')) this.#show(target);
    });
    for (const type of ['pointerout', 'focusout']) this.#pane.addEventListener(type, () => this.#show(null));
    map.on('zoomstart popupopen', () => this.#show(null));
  }

  #show(target) {
    const pin = target?.closest('.pin');
    const id = pin?.dataset.id ?? null;
    if (this.#label.hidden && id === null) return;
    this.#label.hidden = id === null;
    if (id !== null) this.#write(this.#name(id), pin);
    this.#map.fire('pinhover', { id });
  }

  /** Writes a name above a pin, or below it at the upper edge of the map. */
  #write(name, pin) {
    this.#label.replaceChildren(element('bdi', {}, name));
    const tip = L.DomUtil.getPosition(pin);
    const { x, y } = this.#map.layerPointToContainerPoint(tip);
    const half = this.#label.offsetWidth / 2 + gapPixels;
    const room = this.#label.offsetHeight + pin.offsetHeight + gapPixels;
    const shift = Math.max(half, Math.min(this.#map.getSize().x - half, x)) - x;
    this.#label.classList.toggle('below', y < room);
    L.DomUtil.setPosition(this.#label, tip.add([shift, y < room ? gapPixels : -pin.offsetHeight - gapPixels]));
  }
}
