import { explain } from '../common/api.js';
import { busy } from '../common/busy.js';
import { element } from '../common/element.js';
import { Field } from '../common/field.js';
import { say } from '../common/language.js';
import { findPlaces, placesAround } from './places.js';
import { Suggestions } from './suggestions.js';
import { chosen } from './understood.js';

const positionMs = 15_000;

/** Creates the form of step 1: the place, which the user types or the device locates. */
export function placeStep(draft, { next, cancel, problem }) {
  const field = new Field(
    say('adding.place'),
    { required: true, maxlength: 256, value: draft.place, placeholder: say('adding.place.example') },
    say('adding.place.hint'));
  if (problem) field.showError(problem);
  const find = element('button.primary', { type: 'submit' }, say('adding.find'));
  const position = element('button', { type: 'button' }, say('adding.position'));
  const suggestions = new Suggestions(field, (place) => {
    field.value = place.label;
    accept([chosen(place)]);
  });
  field.input.addEventListener('input', () => { draft.place = field.value; });

  function accept(candidates, point = null) {
    Object.assign(draft, { place: field.value, found: field.value, candidates, chosen: 0, point });
    next();
  }

  async function search() {
    suggestions.close();
    if (!draft.place.trim()) return field.showError(say('adding.place.empty'));
    // A user who returns to this step with the same text keeps the chosen place and the pin's position.
    if (draft.place === draft.found) return next();
    try {
      const places = await findPlaces(draft.place.trim());
      if (!places.length) return fail(say('adding.not-found', { place: draft.place.trim() }));
      // An edited post keeps its point while its text is unchanged.
      const isSame = draft.post?.place === draft.place;
      return accept(places, isSame ? draft.point : null);
    } catch (error) {
      return fail(explain(error));
    }
  }

  function fail(text) {
    field.showError(text);
    field.input.focus();
  }

  position.addEventListener('click', () => busy(position, async () => {
    field.showError('');
    try {
      const { coords } = await here();
      const [place] = await placesAround(coords.latitude, coords.longitude);
      if (!place) return fail(say('adding.position.nowhere'));
      field.value = place.label;
      return accept([place], { latitude: coords.latitude, longitude: coords.longitude });
    } catch (error) {
      return fail(error instanceof PositionError ? say(error.message) : explain(error));
    }
  }));
  return element('form', { onsubmit: (event) => {
    event.preventDefault();
    busy(find, search);
  } }, field.root, element('div.actions', {},
    element('button', { type: 'button', onclick: cancel }, say('cancel')), position, find));
}

/** The error of a device that cannot locate itself. The message is the key of a text. */
class PositionError extends Error {}

function here() {
  return new Promise((resolve, reject) => {
    if (!navigator.geolocation || !isSecureContext) return reject(new PositionError('adding.position.unavailable'));
    return navigator.geolocation.getCurrentPosition(resolve, (error) => {
      const isRefused = error.code === error.PERMISSION_DENIED;
      reject(new PositionError(isRefused ? 'adding.position.refused' : 'adding.position.unavailable'));
    }, { enableHighAccuracy: false, timeout: positionMs, maximumAge: 60_000 });
  });
}
