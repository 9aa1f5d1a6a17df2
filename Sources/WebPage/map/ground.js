const { L } = globalThis;

/** A layer of land, borders and water, drawn tile by tile from the world's outline, without a tile server. */
export const Ground = L.GridLayer.extend({
  initialize(world) {
    L.GridLayer.prototype.initialize.call(this, { keepBuffer: 4, updateWhenZooming: false });
    this.world = world;
  },

  createTile({ x, y, z }) {
    const size = this.getTileSize();
    const ratio = Math.min(2, devicePixelRatio || 1);
    const tile = document.createElement('canvas');
    tile.width = size.x * ratio;
    tile.height = size.y * ratio;
    const scale = 2 ** z;
    // The world repeats to the east and to the west.
    const column = ((x % scale) + scale) % scale;
    const view = {
      west: column / scale, north: y / scale, east: (column + 1) / scale, south: (y + 1) / scale,
      pixels: size.x * scale * ratio, ratio,
    };
    draw(tile.getContext('2d'), view, this.world, z, getComputedStyle(document.documentElement));
    return tile;
  },
});

function draw(canvas, view, world, zoom, style) {
  const colour = (name) => style.getPropertyValue(name).trim();
  canvas.lineJoin = 'round';
  canvas.fillStyle = colour('--land');
  for (const rings of world.countries) {
    const seen = rings.filter((ring) => isSeen(ring, view));
    if (!seen.length) continue;
    canvas.beginPath();
    for (const ring of seen) trace(canvas, ring.points, view);
    canvas.fill('evenodd');
  }
  if (zoom >= 4) stroke(canvas, world.states, view, colour('--state'), 0.75);
  stroke(canvas, world.coasts ?? [], view, colour('--coast'), 1);
  stroke(canvas, world.borders, view, colour('--border'), 1);
}

function stroke(canvas, lines, view, colour, width) {
  canvas.strokeStyle = colour;
  canvas.lineWidth = width * view.ratio;
  canvas.beginPath();
  for (const line of lines) if (isSeen(line, view)) trace(canvas, line.points, view);
  canvas.stroke();
}

function isSeen(shape, view) {
  return shape.west <= view.east && shape.east >= view.west && shape.north <= view.south && shape.south >= view.north;
}

function trace(canvas, points, view) {
  for (let index = 0; index < points.length; index += 2) {
    const [x, y] = [(points[index] - view.west) * view.pixels, (points[index + 1] - view.north) * view.pixels];
    if (index === 0) canvas.moveTo(x, y);
    else canvas.lineTo(x, y);
  }
}
