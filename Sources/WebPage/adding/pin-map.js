import { hasCity } from '../map/base-map.js';
import { makeMap } from '../map/world-map.js';
import { draftIcon } from '../map/pin.js';

const { L } = globalThis;
/** Distance of a move by an arrow key, in pixels. */
const stepPixels = 10;
/** Distance between the pin and the map's edge after a move by a key, in pixels. */
const edgePixels = 40;
/** Maximum zoom by the place's level. */
const zoomMax = { country: 7, region: 8, county: 9, city: 11, postcode: 13, street: 16, house: 17 };
/** Zoom around a point of unknown level. The nearest cities are in sight. */
const pointZoom = 7;
/** Maximum zoom without tiles. The land has no further details. */
const landZoomMax = 9;
const arrows = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };
const zooms = { '+': 1, '-': -1 };

/** A map with one pin, which the user drags, moves by keys, or sets by a click. */
export class PinMap {
  #map;
  #pin;
  #tiles;
  #onMove;

  /**
   * @param {HTMLElement} ground An element of the page.
   * @param {Object|null} tiles The raster tiles that the operator has configured.
   * @param {function({latitude: number, longitude: number})} onMove Called after the user has moved the pin.
   */
  constructor(ground, tiles, onMove) {
    [this.#tiles, this.#onMove] = [tiles, onMove];
    this.#map = makeMap(ground, tiles);
    this.#pin = L.marker(this.#map.getCenter(), { icon: draftIcon(), draggable: true, autoPan: true }).addTo(this.#map);
    this.#pin.on('dragend', () => this.#moved());
    this.#map.on('click', ({ latlng }) => {
      this.#pin.setLatLng(latlng);
      this.#moved();
    });
    this.#pin.getElement().addEventListener('keydown', (event) => this.#press(event));
  }

  /** Shows a point without a place. */
  showPoint({ latitude, longitude }) {
    this.#pin.setLatLng([latitude, longitude]);
    this.#map.setView([latitude, longitude], this.#limited(pointZoom), { animate: false });
  }

  /** Shows a place: its extent, or the user's own point in it. */
  showPlace({ latitude, longitude, level, boundingBox: box }, point) {
    const zoom = this.#limited(zoomMax[level]);
    const at = point ? [point.latitude, point.longitude] : [latitude, longitude];
    this.#pin.setLatLng(at);
    if (point || !box) {
      this.#map.setView(at, zoom, { animate: false });
      this.#showCity();
      return;
    }
    const [, south, , north] = box;
    let [west, , east] = box;
    // The map ends at the antimeridian. Show the pin's part of a box that crosses it.
    if (east < west && longitude < west) west = -180;
    else if (east < west) east = 180;
    this.#map.fitBounds([[south, west], [north, east]], { maxZoom: zoom, animate: false });
    this.#showCity();
  }

  /** Shows more of the land if no city with a name is in sight. Otherwise an inland place would be one plain colour. */
  #showCity() {
    while (!this.#tiles && this.#map.getZoom() > pointZoom && !hasCity(this.#map.getBounds())) {
      this.#map.setZoom(this.#map.getZoom() - 1, { animate: false });
    }
  }

  /** Gives the pin the focus. */
  focus() {
    this.#pin.getElement().focus();
  }

  end() {
    this.#map.remove();
  }

  #limited(zoom) {
    return this.#tiles ? zoom : Math.min(zoom, landZoomMax);
  }

  #press(event) {
    const { [event.key]: arrow } = arrows;
    const { [event.key]: zoom } = zooms;
    if (!arrow && !zoom) return;
    event.preventDefault();
    event.stopPropagation();
    if (zoom) {
      // The next key may come before the end of an animation.
      this.#map.setZoomAround(this.#pin.getLatLng(), this.#map.getZoom() + zoom, { animate: false });
      return;
    }
    const point = this.#map.latLngToContainerPoint(this.#pin.getLatLng()).add(L.point(arrow).multiplyBy(stepPixels));
    const { lat, lng } = this.#map.containerPointToLatLng(point);
    // The map ends at the antimeridian.
    this.#pin.setLatLng([lat, Math.max(-180, Math.min(180, lng))]);
    this.#map.panInside(this.#pin.getLatLng(), { padding: [edgePixels, edgePixels], animate: false });
    this.#moved();
  }

  #moved() {
    const { lat, lng } = this.#pin.getLatLng();
    this.#onMove({ latitude: lat, longitude: L.Util.wrapNum(lng, [-180, 180], true) });
  }
}
