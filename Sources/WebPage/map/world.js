import { asset } from '../common/asset.js';
import { offerReload } from '../installation.js';
import { Land } from './land.js';

/** Zoom of the tiles with all details. A single coarse tile has the whole world. */
const fineZoom = 5;
const [firstRetryMs, lastRetryMs] = [2_000, 60_000];

/** The land and its names, loaded once for all maps of the page. See Data/NOTICE.md for the formats. */
export class World {
  /** Names as [name, latitude, longitude, smallest zoom]. Empty until loaded. */
  names = { countries: [], cities: [] };
  #whole;
  /** For each fine tile: 0 for water, 1 for land without lines, 2 for a file. Empty until loaded. */
  #kinds = [];
  /** The fine tiles that were needed. All tiles of the world together have 800 KB, so none is dropped. */
  #fine = new Map();

  constructor() {
    this.#whole = new Loading(async () => {
      const land = new Land(0, 0, 0);
      const file = await loaded('land/0/0/0');
      if (file) this.#kinds = land.read(file);
      return land;
    });
    /** Resolves when the names are loaded. */
    this.named = loaded('names.json').then((file) => {
      if (file) this.names = JSON.parse(new TextDecoder().decode(file));
    });
  }

  /** Calls `draw` with the best loaded land of a map tile, and again when better land is loaded. */
  land({ x, y, z }, draw) {
    const fine = z >= fineZoom ? this.#fineAt(x >> (z - fineZoom), y >> (z - fineZoom)) : null;
    if (fine?.content) {
      draw(fine.content);
      return;
    }
    if (this.#whole.content) draw(this.#whole.content);
    else this.#whole.promise.then(draw);
    fine?.promise.then(draw);
  }

  #fineAt(x, y) {
    const index = y * 2 ** fineZoom + x;
    if (!this.#fine.has(index)) this.#fine.set(index, new Loading(() => this.#load(x, y, index)));
    return this.#fine.get(index);
  }

  async #load(x, y, index) {
    const whole = await this.#whole.promise;
    const land = new Land(fineZoom, x, y);
    if (this.#kinds[index] === 1) land.cover();
    if (this.#kinds[index] !== 2) return land;
    const file = await loaded(`land/${fineZoom}/${x}/${y}`);
    if (file === null) return whole;
    land.read(file);
    return land;
  }
}

/** A promise whose content can be read without waiting once it is there. */
class Loading {
  /** Null until loaded. */
  content = null;

  constructor(load) {
    this.promise = load().then((content) => {
      this.content = content;
      return content;
    });
  }
}

/**
 * Returns a file of the page. Retries with growing pauses until the server answers. Returns null if a newer program has
 * replaced this one with its files. The map then keeps the coarse land until the user reloads the page.
 */
async function loaded(name) {
  for (let pause = firstRetryMs; ; pause = Math.min(2 * pause, lastRetryMs)) {
    try {
      const response = await fetch(asset(name));
      if (response.ok) return new Uint8Array(await response.arrayBuffer());
      if (response.status === 404) {
        offerReload();
        return null;
      }
    } catch {
      // The network is away.
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

/** Returns a point's position on the map's square, 0…1 from its north-western corner. (Web Mercator, EPSG:3857.) */
export function project(latitude, longitude) {
  const sine = Math.sin(Math.max(-85.0511, Math.min(85.0511, latitude)) * Math.PI / 180);
  return [(longitude + 180) / 360, 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)];
}
