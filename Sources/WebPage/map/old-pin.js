import { pinIcon } from './pin.js';
import { popupOptions } from './popup.js';

const { L } = globalThis;

/** The pin of a post that is not among the latest ones. It is on the map only while its popup is open. */
export class OldPin {
  #map;
  #popup;
  #marker = null;

  constructor(map, popup) {
    [this.#map, this.#popup] = [map, popup];
  }

  /** Shows a post's pin with its popup. */
  open(entry) {
    this.remove();
    this.#marker = L.marker([entry.latitude, entry.longitude], { icon: pinIcon(entry), zIndexOffset: 2_000 })
      .bindPopup(() => this.#popup(entry), { ...popupOptions, id: entry.id }).addTo(this.#map);
    this.#marker.getElement().classList.add('old');
    this.#marker.openPopup();
  }

  redraw() {
    this.#marker?.getPopup().update();
  }

  remove() {
    this.#marker?.remove();
    this.#marker = null;
  }
}
