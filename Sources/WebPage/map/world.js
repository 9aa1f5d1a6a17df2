/** The outline of the world and its names, loaded once for all maps of the page. See Data/outline.py for the format. */
export class World {
  /** The rings of each country with bounding boxes. Coordinates are 0…1 on the map's square. Empty until loaded. */
  countries = [];
  /** Lines between countries. */
  borders = [];
  /** Lines between states. */
  states = [];
  /** Names as [name, latitude, longitude, smallest zoom]. */
  names = { countries: [], cities: [] };
  #waiting = [];
  #isReady = false;

  constructor() {
    this.#load();
  }

  /** Calls a function when the world is loaded, or immediately if it already is. */
  whenReady(call) {
    if (this.#isReady) call();
    else this.#waiting.push(call);
  }

  async #load() {
    const file = async (name) => (await fetch(new URL(`../${name}`, import.meta.url))).json();
    const [outline, names] = await Promise.all([file('outline.json'), file('names.json')]);
    const arcs = outline.arcs.map((arc) => projected(arc, outline.scale));
    this.countries = outline.countries.map((rings) => rings.map((ring) => boxed(joined(ring, arcs))));
    this.borders = arcs.slice(0, outline.borders).map(boxed);
    this.coasts = arcs.slice(outline.borders, arcs.length - outline.seams).map(boxed);
    this.states = outline.states.map((arc) => boxed(projected(arc, outline.scale)));
    this.names = names;
    this.#isReady = true;
    for (const call of this.#waiting) call();
  }
}

/** Returns a point's position on the map's square, 0…1 from its north-western corner. (Web Mercator, EPSG:3857.) */
export function project(latitude, longitude) {
  const sine = Math.sin(Math.max(-85.0511, Math.min(85.0511, latitude)) * Math.PI / 180);
  return [(longitude + 180) / 360, 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)];
}

/** Decodes a line of differences in units of 1/`scale` degree. Returns pairs of coordinates on the map's square. */
function projected(line, scale) {
  const points = new Float64Array(line.length);
  let [x, y] = [0, 0];
  for (let index = 0; index < line.length; index += 2) {
    x += line[index];
    y += line[index + 1];
    [points[index], points[index + 1]] = project(y / scale, x / scale);
  }
  return points;
}

/** Joins arcs into a ring. A negative index `~i` reverses arc `i`. A point that two arcs share occurs once. */
function joined(ring, arcs) {
  const points = [];
  for (const index of ring) {
    const arc = arcs[index < 0 ? ~index : index];
    const count = arc.length / 2;
    for (let step = points.length ? 1 : 0; step < count; step += 1) {
      const at = 2 * (index < 0 ? count - 1 - step : step);
      points.push(arc[at], arc[at + 1]);
    }
  }
  return Float64Array.from(points);
}

function boxed(points) {
  let [west, north, east, south] = [1, 1, 0, 0];
  for (let index = 0; index < points.length; index += 2) {
    west = Math.min(west, points[index]);
    east = Math.max(east, points[index]);
    north = Math.min(north, points[index + 1]);
    south = Math.max(south, points[index + 1]);
  }
  return { points, west, north, east, south };
}
