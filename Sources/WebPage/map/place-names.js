import { project } from './world.js';

const { L } = globalThis;
const gap = 4;

/** A layer with the names of countries and cities. Leaves out a name that overlaps a more important name. */
export const PlaceNames = L.Layer.extend({
  initialize(world) {
    this.world = world;
  },

  onAdd(map) {
    this.canvas = L.DomUtil.create('canvas', 'place-names leaflet-zoom-hide', map.getPane('overlayPane'));
    map.on('moveend resize', this.redraw, this);
    this.redraw();
  },

  onRemove(map) {
    this.canvas.remove();
    map.off('moveend resize', this.redraw, this);
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
    const square = 256 * 2 ** zoom;
    const corner = map.getPixelBounds().min.subtract(margin);
    const occupied = [];
    const write = (names, draw) => {
      for (const [name, latitude, longitude, from] of names) {
        if (from > zoom) continue;
        const [x, y] = project(latitude, longitude);
        // Draw the name on each repetition of the world in view.
        const first = Math.ceil((corner.x - square) / square - x);
        for (let world = first; (x + world) * square - corner.x < whole.x; world += 1) {
          draw(canvas, name, (x + world) * square - corner.x, y * square - corner.y, style, occupied);
        }
      }
    };
    write(this.world.names.countries.filter(() => zoom < 8), country);
    write(this.world.names.cities, city);
  },
});

function country(canvas, name, x, y, style, occupied) {
  canvas.font = '600 12px system-ui, sans-serif';
  canvas.letterSpacing = '0.06em';
  const width = canvas.measureText(name).width;
  if (!claim(occupied, x - width / 2, y - 8, width, 16)) return;
  text(canvas, name, x - width / 2, y + 4, style.getPropertyValue('--country-name'), style);
}

function city(canvas, name, x, y, style, occupied) {
  canvas.font = '11px system-ui, sans-serif';
  canvas.letterSpacing = '0';
  const width = canvas.measureText(name).width;
  if (!claim(occupied, x - 3, y - 8, width + 10, 15)) return;
  canvas.beginPath();
  canvas.arc(x, y, 2, 0, 2 * Math.PI);
  canvas.fillStyle = style.getPropertyValue('--city-name');
  canvas.fill();
  text(canvas, name, x + 6, y + 4, style.getPropertyValue('--city-name'), style);
}

function text(canvas, name, x, y, colour, style) {
  canvas.lineJoin = 'round';
  canvas.lineWidth = 3;
  canvas.strokeStyle = style.getPropertyValue('--land');
  canvas.strokeText(name, x, y);
  canvas.fillStyle = colour;
  canvas.fillText(name, x, y);
}

/** Claims the space of a name. Returns false if another name overlaps it. */
function claim(occupied, x, y, width, height) {
  const isFree = occupied.every((other) =>
    x > other.x + other.width + gap || other.x > x + width + gap
    || y > other.y + other.height + gap || other.y > y + height + gap);
  if (isFree) occupied.push({ x, y, width, height });
  return isFree;
}
