import { extent } from './land.js';

const { L } = globalThis;

/** A layer of land, borders and water, drawn tile by tile in the browser. There is one world, with water around it. */
export const Ground = L.GridLayer.extend({
  initialize(world) {
    L.GridLayer.prototype.initialize.call(this, {
      keepBuffer: 4, updateWhenZooming: false, noWrap: true, bounds: [[-90, -180], [90, 180]],
    });
    this.world = world;
  },

  createTile(place) {
    const size = this.getTileSize();
    const ratio = Math.min(2, devicePixelRatio || 1);
    const tile = document.createElement('canvas');
    tile.width = size.x * ratio;
    tile.height = size.y * ratio;
    const canvas = tile.getContext('2d');
    this.world.land(place, (land) => draw(canvas, land, place, ratio, getComputedStyle(document.documentElement)));
    return tile;
  },
});

/** Draws a tile of the map from the land in a tile of the same or a lower zoom. Replaces what the canvas shows. */
function draw(canvas, land, { x, y, z }, ratio, style) {
  const { width, height } = canvas.canvas;
  const share = 2 ** (land.zoom - z);
  const pixels = width / (extent * share);
  const stroke = (path, name, thickness) => {
    canvas.strokeStyle = style.getPropertyValue(name).trim();
    canvas.lineWidth = thickness * ratio / pixels;
    canvas.stroke(path);
  };
  canvas.setTransform(1, 0, 0, 1, 0, 0);
  canvas.clearRect(0, 0, width, height);
  canvas.setTransform(pixels, 0, 0, pixels, (land.x / share - x) * width, (land.y / share - y) * height);
  [canvas.lineJoin, canvas.lineCap] = ['round', 'round'];
  canvas.fillStyle = style.getPropertyValue('--land').trim();
  canvas.fill(land.outline, 'evenodd');
  stroke(land.states, '--state', 0.75);
  stroke(land.outline, '--coast', 1);
  stroke(land.borders, '--border', 1);
}
