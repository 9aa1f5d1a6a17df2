import { isCalm } from '../common/motion.js';
import { say } from '../common/language.js';
import { baseMap } from './base-map.js';
import { addZoomButtons } from './map-buttons.js';
import { project } from './world.js';

const { L } = globalThis;
/** The northernmost and the southernmost town, the coast of Antarctica, and the edge of the projection's square. */
const [north, south, antarctica, pole] = [79, -56, -60, 85.05];
const square = L.latLngBounds([-pole, -180], [pole, 180]);
/** Space for a pin above its place, below it, and beside it, in pixels. */
const [above, below, beside] = [42, 4, 20];
/** Space around an open popup, which may be beside the map's buttons, in pixels. */
const aroundPopup = 100;
/** Maximum zoom with and without tiles. The land has no further details. */
const [tilesZoomMax, landZoomMax] = [18, 9];

/**
 * A map of one world. Its least zoom shows all inhabited latitudes, and depends on the size of the window. Leaflet's
 * `minZoom` stays zero: Markercluster 1.5.3 loses pins and their positions when it changes or has a fraction.
 */
const WorldMap = L.Map.extend({
  leastZoom: 0,
  /** The southern end of the latitudes that the least zoom shows. */
  south,

  /** The least zoom is no multiple of the zoom's steps. */
  _limitZoom(zoom) {
    return zoom <= this.leastZoom ? this.leastZoom
      : Math.max(this.leastZoom, L.Map.prototype._limitZoom.call(this, zoom));
  },

  getBoundsZoom(bounds, isInside, padding = L.point(0, 0)) {
    // Leaflet has no result for a map that is smaller than the padding, such as a hidden one.
    const { x, y } = this.getSize().subtract(padding);
    if (x <= 0 || y <= 0) return this.leastZoom;
    return Math.max(this.leastZoom, L.Map.prototype.getBoundsZoom.call(this, bounds, isInside, padding));
  },

  /** Returns true for a point of the world, and false for one in the water around it. */
  hasPoint(point) {
    return square.contains(point);
  },

  /**
   * Returns the bounds of the view in pixels: the world, with space for the pins at its edge and for the open popup. A
   * world that is lower than the window may be anywhere in it.
   */
  viewBounds(zoom = this.getZoom()) {
    const [corner, opposite] = [square.getNorthWest(), square.getSouthEast()].map((point) => this.project(point, zoom));
    const space = L.point(beside, Math.max(0, this.getSize().y - (opposite.y - corner.y)));
    const bounds = L.bounds(corner.subtract(space), opposite.add(space));
    if (zoom === this.getZoom() && this._popup?.isOpen()) {
      const [popup, ground] = [this._popup.getElement(), this.getContainer()].map((one) => one.getBoundingClientRect());
      const origin = this.getPixelBounds().min.subtract([ground.left, ground.top]);
      bounds.extend(origin.add([popup.left - aroundPopup, popup.top - aroundPopup]));
      bounds.extend(origin.add([popup.right + aroundPopup, popup.bottom + aroundPopup]));
    }
    return bounds;
  },

  /** Leaflet's own bounds have latitudes, and thus end at the square. */
  _getBoundsOffset(view, _, zoom) {
    const bounds = this.viewBounds(zoom);
    const [start, end] = [bounds.min.subtract(view.min), bounds.max.subtract(view.max)];
    return L.point(this._rebound(start.x, -end.x), this._rebound(start.y, -end.y));
  },

  /** Adapts the least zoom to the window and the latitudes. Returns true if it has changed. */
  fitLeastZoom() {
    const { x, y } = this.getSize();
    const before = this.leastZoom;
    const [[, top], [, bottom]] = [project(north, 0), project(this.south, 0)];
    // A hidden map has no size.
    const width = Math.max(256, Math.min(x - 2 * beside, (y - above - below) / (bottom - top)));
    this.leastZoom = Math.log2(width / 256);
    this.fire('zoomlevelschange');
    return this.leastZoom !== before;
  },
});

/** Creates a map of one world, with its base map and buttons. There is water around the world. */
export function makeMap(place, tiles) {
  const moves = !isCalm();
  const map = new WorldMap(place, {
    maxZoom: tiles ? tilesZoomMax : landZoomMax, zoomSnap: 0.5, zoomControl: false,
    maxBounds: square, maxBoundsViscosity: 1, closePopupOnClick: false,
    fadeAnimation: moves, zoomAnimation: moves, markerZoomAnimation: moves, inertia: moves,
    // Safari supports pointer events. Leaflet's substitute for them would open a popup and close it again.
    tap: false,
  });
  map.fitLeastZoom();
  map.on('resize', () => {
    const isWhole = map.getZoom() <= map.leastZoom;
    // A new zoom would end a flight, which may go below the least zoom.
    if (!map.fitLeastZoom()) return;
    // A map that shows the whole world continues to do so.
    if (isWhole) showWorld(map, { animate: false });
    else if (map.getZoom() < map.leastZoom) map.setZoom(map.leastZoom, { animate: false });
  });
  map.on('dragstart', () => {
    const [bounds, view] = [map.viewBounds(), map.getPixelBounds()];
    map.dragging._offsetLimit = L.bounds(view.min.subtract(bounds.min), view.max.subtract(bounds.max));
  });
  map.on('popupclose', () => map.panInsideBounds(map.options.maxBounds, { animate: moves }));
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
  fit(map, [[map.south, -180], [north, 180]], [beside, below], options);
}

/** Moves to the pins of some places. The buttons are at the right edge, and the scale is at the lower one. */
export function showPlaces(map, places, options) {
  fit(map, places, [64, 32], options);
}

/** Moves to places with space at the right and lower edge. They are above the buttons as far as there is more space. */
function fit(map, places, [right, bottom], options) {
  const buttons = map.getContainer().querySelector('.leaflet-bottom.leaflet-right').offsetHeight;
  const [[, start], [, end]] = [project(north, 0), project(map.south, 0)];
  const free = map.getSize().y - above - below - (end - start) * 256 * 2 ** map.leastZoom;
  const low = Math.max(bottom, Math.min(buttons, free));
  map.fitBounds(places, { paddingTopLeft: [beside, above], paddingBottomRight: [right, low], ...options });
}

/** Water in place of Antarctica, which would take a third of a phone's map, until a user has a pin there. */
export class AntarcticCover {
  #map;
  #water;

  constructor(map, tiles) {
    this.#map = map;
    map.createPane('cover').style.zIndex = 250;
    this.#water = L.rectangle([[-pole - 1, -181], [antarctica, 181]], {
      pane: 'cover', className: 'cover', stroke: false, interactive: false });
    // Tiles have a water of their own.
    if (!tiles) this.#water.addTo(map);
  }

  /** Shows Antarctica if one of these places is there. */
  reveal(places) {
    if (this.#map.south === -pole || !places.some(({ lat }) => lat < antarctica)) return;
    this.#water.remove();
    this.#map.south = -pole;
    this.#map.fitLeastZoom();
  }
}
