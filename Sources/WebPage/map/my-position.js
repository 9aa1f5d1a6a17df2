import { busy } from '../common/busy.js';
import { element } from '../common/element.js';
import { say } from '../common/language.js';
import { isCalm } from '../common/motion.js';
import { canLocate, devicePosition } from '../common/position.js';
import { toast } from '../common/toast.js';
import { mapButton } from './map-buttons.js';

const { L } = globalThis;
const nearZoom = 8;
const crosshairs = ['M8 3.5a4.5 4.5 0 1 0 .1 0Z', 'M8 .8v2.7M8 12.5v2.7M.8 8h2.7M12.5 8h2.7'];

/**
 * Returns a button that shows the device's position on the map: a dot in a circle, in which the device is probably.
 * Returns null if the browser does not know positions.
 */
export function positionButton(map) {
  if (!canLocate()) return null;
  const shown = L.layerGroup().addTo(map);
  const button = mapButton(say('map.position'), crosshairs, () => busy(button, async () => {
    try {
      const { coords } = await devicePosition();
      const point = [coords.latitude, coords.longitude];
      show(shown, point, coords.accuracy);
      map.flyTo(point, Math.max(map.getZoom(), nearZoom), { animate: !isCalm(), duration: 1 });
    } catch ({ code, PERMISSION_DENIED }) {
      toast(say(code === PERMISSION_DENIED ? 'map.position.refused' : 'map.position.unavailable'));
    }
  }));
  return button;
}

function show(layer, point, accuracyMetres) {
  const icon = L.divIcon({ className: 'my-position', iconSize: [18, 18] });
  const dot = L.marker(point, { icon, interactive: false, keyboard: false });
  const circle = L.circle(point, { radius: accuracyMetres, className: 'my-accuracy', interactive: false });
  layer.clearLayers().addLayer(circle).addLayer(dot);
  dot.getElement().append(element('span.unseen', {}, say('map.position.here')));
}
