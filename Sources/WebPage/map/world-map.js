import { isCalm } from '../common/motion.js';
import { say } from '../common/language.js';
import { baseMap } from './base-map.js';
import { addZoomButtons } from './map-buttons.js';

const { L } = globalThis;
/** Latitudes of the world without Antarctica, and of the whole square of the projection. */
const [north, south, pole] = [84, -60, 85.05];
const inhabited = [[south, -180], [north, 180]];
const square = [[-pole, -180], [pole, 180]];
/** Maximum zoom with and without tiles. The land has no further details. */
const [tilesZoomMax, landZoomMax] = [18, 9];

/** A map whose minimum zoom is no multiple of the steps of the zoom. Leaflet would round it up. */
const WorldMap = L.Map.extend({
  _limitZoom(zoom) {
    return zoom <= this.getMinZoom() ? this.getMinZoom() : L.Map.prototype._limitZoom.call(this, zoom);
  },
});

/** Creates a map of one world, with its base map and buttons. The world is never narrower than the map's element. */
export function makeMap(place, tiles) {
  const moves = !isCalm();
  const map = new WorldMap(place, {
    maxZoom: tiles ? tilesZoomMax : landZoomMax, zoomSnap: 0.5, zoomControl: false,
    maxBounds: square, maxBoundsViscosity: 1, closePopupOnClick: false,
    fadeAnimation: moves, zoomAnimation: moves, markerZoomAnimation: moves, inertia: moves,
    // Safari supports pointer events. Leaflet's substitute for them would open a popup and close it again.
    tap: false,
  });
  const fill = () => {
    // A hidden map has no size.
    const { x } = map.getSize();
    if (x > 0) map.setMinZoom(Math.max(0, Math.log2(x / 256)));
  };
  fill();
  map.on('resize', fill);
  addZoomButtons(map);
  map.attributionControl.setPrefix(false);
  if (!tiles) {
    map.on('zoomend', () => map.attributionControl.setPrefix(
      map.getZoom() === landZoomMax && say('map.approximate')));
  }
  baseMap(map, tiles);
  showWorld(map, { animate: false });
  return map;
}

/** Moves to the whole world. */
export function showWorld(map, options) {
  map.fitBounds(inhabited, options);
}

/** Water in place of Antarctica, which would take a third of a phone's map, until a user has a pin there. */
export class AntarcticCover {
  #water;

  constructor(map, tiles) {
    map.createPane('cover').style.zIndex = 250;
    this.#water = L.rectangle([[-pole - 1, -181], [south, 181]], {
      pane: 'cover', className: 'cover', stroke: false, interactive: false });
    // Tiles have a water of their own.
    if (!tiles) this.#water.addTo(map);
  }

  /** Shows Antarctica if one of these places is there. */
  reveal(places) {
    if (places.some(({ lat }) => lat < south)) this.#water.remove();
  }
}
