import { Ground } from './ground.js';
import { PlaceNames } from './place-names.js';
import { World } from './world.js';

const { L } = globalThis;
const world = new World();

/** Puts the ground under a map: the world's outline with names, or raster tiles where the operator has set them up. */
export function baseMap(map, tiles) {
  if (tiles) {
    // What Leaflet puts into a tile that it gives up: a picture of its own would be a data: address.
    L.Util.emptyImageUrl = new URL('../empty.svg', import.meta.url).href;
    L.tileLayer(tiles.url, { attribution: attribution(tiles.attribution), maxZoom: 18 }).addTo(map);
    return;
  }
  const ground = new Ground(world).addTo(map);
  const names = new PlaceNames(world).addTo(map);
  map.attributionControl.addAttribution('Natural Earth').addAttribution('© GeoNames');
  world.whenReady(() => {
    ground.redraw();
    names.redraw();
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    ground.redraw();
    names.redraw();
  });
}

/** The operator's text; an address at its end becomes what it leads to. Leaflet takes markup: it is made from nodes. */
function attribution(text) {
  const [, words, address] = text.match(/^(.*?)\s*(https?:\/\/\S+)?$/);
  const node = document.createElement(address ? 'a' : 'span');
  node.textContent = words || address;
  if (address) node.setAttribute('href', address);
  return node.outerHTML;
}
