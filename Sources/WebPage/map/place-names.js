import { project } from './world.js';

const { L } = globalThis;
/** Distance between two names, and between a name and a pin, in pixels. */
const gap = 4;
/** The least time between two drawings because of pins, in milliseconds. */
const pauseMs = 250;
/** Zoom of the last names of countries. Their borders are out of view in the next one. */
const countryZoomMax = 8;
/** The zoom of the first names in `names.json`, and the zoom from which the map shows those. */
const [firstFrom, firstZoom] = [2, 0.3];
/** Places of a country's name and of a city's, as shares of its size from the point. The first free one is taken. */
const countryPlaces = [[-0.5, -0.5], [-0.5, -1.7], [-0.5, 0.7], [-0.5, -2.9], [-0.5, 1.9]];
const family = 'system-ui, sans-serif';

/**
 * A layer with the names of countries and cities. The higher a place's rank, the larger its name. Leaves out a name
 * that would overlap a pin or a more important name.
 */
export const PlaceNames = L.Layer.extend({
  initialize(world) {
    this.world = world;
  },

  onAdd(map) {
    this.canvas = L.DomUtil.create('canvas', 'place-names leaflet-zoom-hide', map.getPane('overlayPane'));
    map.on('moveend resize', this.redraw, this);
    const pane = map.getPane('markerPane');
    this.pins = new MutationObserver(() => this.followPins());
    this.pins.observe(pane, { childList: true, subtree: true, attributes: true, attributeFilter: ['style'] });
    this.redraw();
  },

  onRemove(map) {
    this.canvas.remove();
    this.pins.disconnect();
    clearTimeout(this.timer);
    map.off('moveend resize', this.redraw, this);
  },

  /** Draws the names again if pins have moved. Pins may change many times in a second. */
  followPins() {
    this.timer ??= setTimeout(() => {
      this.timer = null;
      if (JSON.stringify(this.pinBoxes()) !== this.drawnPins) this.redraw();
    }, pauseMs);
  },

  /** Returns the areas of pins and clusters, in pixels of the map's layers. */
  pinBoxes() {
    return [...this._map.getPane('markerPane').children].map((pin) => {
      const { x, y } = L.DomUtil.getPosition(pin);
      const [left, top, width, height] = ['marginLeft', 'marginTop', 'width', 'height']
        .map((name) => parseFloat(pin.style[name]));
      return { x: x + left, y: y + top, width, height };
    });
  },

  redraw() {
    const map = this._map;
    if (!map) return;
    const size = map.getSize();
    // Extend the canvas by half a window on each side, so that names remain while the user drags the map.
    const margin = size.divideBy(2).round();
    const origin = map.containerPointToLayerPoint(margin.multiplyBy(-1));
    const whole = size.add(margin.multiplyBy(2));
    const ratio = Math.min(2, devicePixelRatio || 1);
    L.DomUtil.setPosition(this.canvas, origin);
    [this.canvas.width, this.canvas.height] = [whole.x * ratio, whole.y * ratio];
    [this.canvas.style.width, this.canvas.style.height] = [`${whole.x}px`, `${whole.y}px`];
    const canvas = this.canvas.getContext('2d');
    canvas.scale(ratio, ratio);
    const zoom = map.getZoom();
    const style = getComputedStyle(document.documentElement);
    const boxes = this.pinBoxes();
    this.drawnPins = JSON.stringify(boxes);
    const occupied = boxes.map((box) => ({ ...box, x: box.x - origin.x, y: box.y - origin.y }));
    const square = 256 * 2 ** zoom;
    const corner = map.getPixelBounds().min.subtract(margin);
    const write = (names, draw) => {
      for (const [name, latitude, longitude, from] of names) {
        if (zoom < (from === firstFrom ? firstZoom : from)) continue;
        const [x, y] = project(latitude, longitude).map((share) => share * square);
        const point = { x: x - corner.x, y: y - corner.y };
        if (point.x < 0 || point.x > whole.x || point.y < 0 || point.y > whole.y) continue;
        draw(canvas, name, point, zoom - from, style, occupied);
      }
    };
    if (zoom < countryZoomMax) write(this.world.names.countries, country);
    write(this.world.names.cities, city);
  },
});

/** Draws a country's name. `lead` is the difference between the zoom and that of the first view of the name. */
function country(canvas, name, point, lead, style, occupied) {
  const size = Math.max(10, Math.min(17, 11.5 + 1.5 * lead));
  canvas.font = `${lead >= 1 ? 700 : 600} ${size}px ${family}`;
  canvas.letterSpacing = `${Math.max(0.02, Math.min(0.18, 0.05 * (lead + 1)))}em`;
  const { width } = canvas.measureText(name);
  const box = claim(occupied, countryPlaces.map(([across, down]) => (
    { x: point.x + across * width, y: point.y + down * size, width, height: size })));
  if (box) text(canvas, name, box, style.getPropertyValue('--country-name'), style);
}

/** Draws a city's point and name: beside the point, or below or above a pin that stands there. */
function city(canvas, name, { x, y }, lead, style, occupied) {
  const size = Math.min(14, 11 + 0.75 * Math.max(0, lead));
  canvas.font = `${lead >= 2 ? 600 : 400} ${size}px ${family}`;
  canvas.letterSpacing = '0px';
  const { width } = canvas.measureText(name);
  const beside = { y: y - size / 2, width, height: size };
  const box = claim(occupied, [
    { ...beside, x: x + 6 }, { ...beside, x: x - 6 - width }, { ...beside, x: x - width / 2, y: y + 6 }]);
  if (!box) return;
  canvas.beginPath();
  canvas.arc(x, y, 2, 0, 2 * Math.PI);
  canvas.fillStyle = style.getPropertyValue('--city-name');
  canvas.fill();
  text(canvas, name, box, style.getPropertyValue('--city-name'), style);
}

function text(canvas, name, { x, y, height }, colour, style) {
  canvas.textBaseline = 'middle';
  canvas.lineJoin = 'round';
  canvas.lineWidth = 3;
  canvas.strokeStyle = style.getPropertyValue('--land');
  canvas.strokeText(name, x, y + height / 2);
  canvas.fillStyle = colour;
  canvas.fillText(name, x, y + height / 2);
}

/** Claims the first of some boxes that overlaps no other. Returns undefined if there is none. */
function claim(occupied, boxes) {
  const free = boxes.find(({ x, y, width, height }) => occupied.every((other) =>
    x > other.x + other.width + gap || other.x > x + width + gap
    || y > other.y + other.height + gap || other.y > y + height + gap));
  if (free) occupied.push(free);
  return free;
}
