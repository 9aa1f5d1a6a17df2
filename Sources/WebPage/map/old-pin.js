import { pinIcon } from './pin.js';
import { popupOptions } from './popup-options.js';

const { L } = globalThis;

/** The pin of a post that is not among the latest ones. It is on the map only while its popup is open. */
export class OldPin {
  #map;
  #popup;
  #marker = null;

  constructor(map, popup) {
    [this.#map, this.#popup] = [map, popup];
  }

  /** Shows a post's pin with its popup. The map moves to show the whole popup, unless `isStill` is true. */
  open(entry, { isStill = false } = {}) {
    this.remove();
    this.#marker = L.marker([entry.latitude, entry.longitude], { icon: pinIcon(entry), zIndexOffset: 2_000 })
      .bindPopup(() => this.#popup(entry), { ...popupOptions(this.#map), id: entry.id, autoPan: !isStill })
      .addTo(this.#map);
    this.#marker.getElement().classList.add('old');
    this.#marker.openPopup();
    // An update of the popup does not move the map.
    this.#marker.getPopup().options.autoPan = false;
  }

  redraw() {
    this.#marker?.getPopup().update();
  }

  remove() {
    this.#marker?.remove();
    this.#marker = null;
  }
}
