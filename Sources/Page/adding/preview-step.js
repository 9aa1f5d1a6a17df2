import { element } from '../common/element.js';
import { say } from '../common/language.js';
import { makeMap } from '../map/map-view.js';
import { draftIcon } from '../map/pin.js';

const { L } = globalThis;
const stepPixels = 10;
const arrows = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };

/** Second: which of the places it is, and where exactly, on a map. */
export function previewStep(draft, tiles, { next, back, cancel }) {
  const ground = element('div.preview-map', { role: 'region', 'aria-label': say('adding.preview') });
  const where = element('p.hint', { role: 'status' });
  let map;
  let pin;

  function choose(index) {
    Object.assign(draft, { chosen: index, point: null });
    show();
  }

  function show() {
    const { latitude, longitude } = draft.position;
    pin.setLatLng([latitude, longitude]);
    const box = draft.point ? null : draft.candidate.boundingBox;
    if (box) map.fitBounds([[box[1], box[0]], [box[3], box[2]]], { maxZoom: 7, animate: false });
    else map.setView([latitude, longitude], 7, { animate: false });
    tell();
  }

  function tell() {
    where.textContent = say(draft.point ? 'adding.moved' : 'adding.drag');
  }

  function move({ lat, lng }) {
    draft.point = { latitude: lat, longitude: L.Util.wrapNum(lng, [-180, 180], true) };
    tell();
  }

  const form = element('form', { onsubmit: (event) => {
    event.preventDefault();
    next();
  } }, choices(draft, choose), ground, where, element('div.actions', {},
    element('button', { type: 'button', onclick: cancel }, say('cancel')),
    element('button', { type: 'button', onclick: back }, say('back')),
    element('button.primary', { type: 'submit' }, say('adding.here'))));

  /** Once it stands in the page: before, it has no size. */
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

/** Ambiguous names are offered as a choice; one that means one place is only told. */
function choices(draft, choose) {
  if (draft.candidates.length === 1) return element('p.chosen', {}, draft.candidate.label);
  return element('fieldset.choices', {}, element('legend', {}, say('adding.which')),
    ...draft.candidates.map((place, index) => element('label', {},
      element('input', {
        type: 'radio', name: 'candidate', value: index, checked: index === draft.chosen,
        onchange: () => choose(index) }),
      element('span', {}, place.label, ' ', element('span.quiet', {}, say(`level.${place.level}`))))));
}
