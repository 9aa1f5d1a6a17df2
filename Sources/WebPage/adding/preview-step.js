import { element } from '../common/element.js';
import { say } from '../common/language.js';
import { makeMap } from '../map/map-view.js';
import { draftIcon } from '../map/pin.js';
import { understanding } from './understood.js';

const { L } = globalThis;
const stepPixels = 10;
/** Maximum zoom of the preview by the place's level. */
const zoomMax = { country: 7, region: 8, county: 9, city: 11, postcode: 13, street: 16, house: 17 };
/** Maximum zoom without tiles. The outline has no further details. */
const outlineZoomMax = 9;
const arrows = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };

/** Creates the form of step 2: the choice among places, notes about the text, and the pin on a map. */
export function previewStep(draft, tiles, { next, back, cancel }) {
  const ground = element('div.preview-map', { role: 'region', 'aria-label': say('adding.preview') });
  const notice = element('div.notice', { id: 'adding-notice', role: 'status' });
  const where = element('p.hint', { role: 'status' });
  let map;
  let pin;

  function choose(index) {
    Object.assign(draft, { chosen: index, point: null });
    show();
  }

  function show() {
    const { latitude, longitude, level, boundingBox: box } = { ...draft.candidate, ...draft.position };
    const zoom = Math.min(zoomMax[level], tiles ? Infinity : outlineZoomMax);
    pin.setLatLng([latitude, longitude]);
    if (draft.point || !box) {
      map.setView([latitude, longitude], zoom, { animate: false });
    } else {
      const [, south, , north] = box;
      let [west, , east] = box;
      // Extend a box across the antimeridian beyond 180°, on the pin's side of the map.
      if (east < west && longitude < west) west -= 360;
      else if (east < west) east += 360;
      map.fitBounds([[south, west], [north, east]], { maxZoom: zoom, animate: false });
    }
    describe();
  }

  function describe() {
    where.textContent = say(draft.point ? 'adding.moved' : 'adding.drag');
    const { lines, isMild } = understanding(draft.candidate, draft.found ?? '', draft.point !== null);
    notice.classList.toggle('mild', isMild);
    notice.replaceChildren(...lines.map((line) => element('p', {}, line)));
  }

  function move({ lat, lng }) {
    draft.point = { latitude: lat, longitude: L.Util.wrapNum(lng, [-180, 180], true) };
    describe();
  }

  const form = element('form', { onsubmit: (event) => {
    event.preventDefault();
    next();
  } }, notice, choices(draft, choose), ground, where, element('div.actions', {},
    element('button', { type: 'button', onclick: cancel }, say('cancel')),
    element('button', { type: 'button', onclick: back }, say('back')),
    element(
      'button.primary', { type: 'submit', 'aria-describedby': notice.id }, say('adding.use'))));

  /** Creates the map. Call this after the form is in the page, because the map needs a size. */
  form.begin = () => {
    const { latitude, longitude } = draft.position;
    map = makeMap(ground, tiles).setView([latitude, longitude], 7);
    pin = L.marker([latitude, longitude], { icon: draftIcon(), draggable: true, autoPan: true }).addTo(map);
    pin.on('dragend', () => move(pin.getLatLng()));
    pin.getElement().addEventListener('keydown', (event) => {
      const arrow = arrows[event.key];
      if (!arrow) return;
      event.preventDefault();
      event.stopPropagation();
      const point = map.latLngToContainerPoint(pin.getLatLng()).add(L.point(arrow).multiplyBy(stepPixels));
      pin.setLatLng(map.containerPointToLatLng(point));
      move(pin.getLatLng());
    });
    show();
  };
  form.end = () => map?.remove();
  return form;
}

/** Returns a choice among the candidates, or the name of the only candidate. */
function choices(draft, choose) {
  if (draft.candidates.length === 1) return element('p.chosen', {}, draft.candidate.label);
  return element('fieldset.choices', {}, element('legend', {}, say('adding.which')),
    ...draft.candidates.map((place, index) => element('label', {},
      element('input', {
        type: 'radio', name: 'candidate', value: index, checked: index === draft.chosen,
        onchange: () => choose(index) }),
      element('span', {}, place.label, ' ', element('span.quiet', {}, say(`level.${place.level}`))))));
}
