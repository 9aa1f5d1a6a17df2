import { element } from '../common/element.js';
import { initial, say } from '../common/language.js';
import { personHue } from './person-hue.js';
import { popupOptions } from './popup-options.js';

const { L } = globalThis;

/** A popup with the pins of a cluster that no zoom separates. Each pin is a button that opens it. */
export class ClusterList {
  #map;
  #isOwn;
  #show;
  #popup = null;
  #shown = [];

  /**
   * @param {function(string): boolean} isOwn Returns true if a post belongs to the user.
   * @param {function(string)} show Opens the popup of a post.
   */
  constructor(map, isOwn, show) {
    [this.#map, this.#isOwn, this.#show] = [map, isOwn, show];
  }

  /**
   * Opens the list.
   *
   * @param {Object[]} entries
   * @param {L.LatLng} at
   * @param {function(): Element} origin Returns the element that gets the focus when the list closes.
   */
  open(entries, at, origin) {
    this.#shown = entries.sort((one, other) => other.seq - one.seq);
    this.#popup = L.popup({ ...popupOptions(this.#map), offset: [0, -12], origin })
      .setLatLng(at).setContent(() => this.#content());
    this.#map.openPopup(this.#popup);
    this.#popup.options.autoPan = false;
    this.#popup.getElement().querySelector('button').focus({ preventScroll: true });
  }

  /** Adapts an open list to the latest entries: those at the places that it shows. */
  follow(entries) {
    if (!this.#popup?.isOpen()) return;
    const places = new Set(this.#shown.map(place));
    const current = entries.filter((entry) => places.has(place(entry)));
    const known = new Set(this.#shown.map(({ seq }) => seq));
    if (current.length === known.size && current.every(({ seq }) => known.has(seq))) return;
    this.#shown = current;
    if (!current.length) {
      this.#map.closePopup(this.#popup);
      return;
    }
    const focused = this.#popup.getElement().contains(document.activeElement) && document.activeElement.dataset.id;
    this.#popup.update();
    const buttons = [...this.#popup.getElement().querySelectorAll('button')];
    if (focused) (buttons.find(({ dataset }) => dataset.id === focused) ?? buttons[0]).focus({ preventScroll: true });
  }

  #content() {
    const labels = new Set(this.#shown.map((entry) => entry.label || entry.place));
    const isOneLabel = labels.size === 1;
    const title = isOneLabel ? say('pin.many.at', { n: this.#shown.length, place: [...labels][0] })
      : say('pin.many.near', { n: this.#shown.length });
    return element('div.cluster-list', { role: 'group', 'aria-label': title },
      element('strong', {}, title),
      element('ul', {}, ...this.#shown.map((entry) => element('li', {}, element(
        'button', { type: 'button', 'data-id': entry.id, onclick: () => this.#show(entry.id) },
        element(`span.disc.${personHue(entry, this.#isOwn(entry.id))}`, { 'aria-hidden': 'true' }, initial(entry.name)),
        element('span', {}, element('bdi', {}, entry.name),
          isOneLabel ? null : element('bdi.quiet', {}, entry.place)))))));
  }
}

function place({ latitude, longitude }) {
  return `${latitude},${longitude}`;
}
