import { asset } from '../common/asset.js';
import { Ground } from './ground.js';
import { PlaceNames } from './place-names.js';
import { World } from './world.js';

const { L } = globalThis;
const world = new World();

/** Adds the base map: the land with names, or raster tiles if the operator has configured them. */
export function baseMap(map, tiles) {
  if (tiles) {
    // Leaflet puts this image into abandoned tiles. Its default image is a data: URL, which the page's policy forbids.
    L.Util.emptyImageUrl = asset('empty.svg');
    L.tileLayer(tiles.url, { attribution: attribution(tiles.attribution), maxZoom: 18 }).addTo(map);
    return;
  }
  const ground = new Ground(world).addTo(map);
  const names = new PlaceNames(world).addTo(map);
  map.attributionControl.addAttribution('Natural Earth').addAttribution('© GeoNames');
  world.named.then(() => names.redraw());
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    ground.redraw();
    names.redraw();
  });
}

/** Returns true if the land has the name of a city in these bounds. False until the names are loaded. */
export function hasCity(bounds) {
  return world.names.cities.some(([, latitude, longitude]) => bounds.contains([latitude, longitude]));
}

/**
 * Returns the operator's attribution as markup, which Leaflet requires. A URL at the end becomes a link. The browser
 * writes the markup of a node, so the text cannot inject markup.
 */
function attribution(text) {
  const [, words, address] = text.match(/^(.*?)\s*(https?:\/\/\S+)?$/);
  const node = document.createElement(address ? 'a' : 'span');
  node.textContent = words || address;
  if (address) node.setAttribute('href', address);
  return node.outerHTML;
}
