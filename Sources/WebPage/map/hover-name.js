import { element } from '../common/element.js';

const { L } = globalThis;
const gapPixels = 6;

/**
 * Shows the name of the pin under the mouse or with the keyboard's focus. Fires `pinhover` on the map with the id of
 * the post, or with null.
 */
export class HoverName {
  #map;
  #name;
  #label = element('div.pin-name.leaflet-zoom-hide', { role: 'tooltip', hidden: true });

  /** @param {function(string): string|undefined} name Returns the name at a post's pin, if the list has the post. */
  constructor(map, name) {
    [this.#map, this.#name] = [map, name];
    map.getPane('tooltipPane').append(this.#label);
    const [ground, pane] = [map.getContainer(), map.getPane('markerPane')];
    // The mouse leaves a pin that a change removes without an event of the pin.
    ground.addEventListener('pointerover', ({ target, pointerType }) => {
      if (pointerType === 'mouse') this.#show(target);
    });
    ground.addEventListener('pointerleave', () => this.#show(null));
    pane.addEventListener('focusin', ({ target }) => {
      if (target.matches(':focus-visible')) this.#show(target);
    });
    pane.addEventListener('focusout', () => this.#show(null));
    map.on('zoomstart popupopen', () => this.#show(null));
  }

  #show(target) {
    const pin = target?.closest('.pin');
    const id = pin?.dataset.id ?? null;
    const name = this.#name(id);
    if (this.#label.hidden && !name) return;
    this.#label.hidden = !name;
    if (name) this.#write(name, pin);
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
