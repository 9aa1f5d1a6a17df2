import { Cancelled, explain } from '../common/api.js';
import { busy } from '../common/busy.js';
import { element } from '../common/element.js';
import { Field } from '../common/field.js';
import { has, say } from '../common/language.js';
import { phrase } from '../common/phrase.js';
import { canLocate, devicePosition } from '../common/position.js';
import { findPlaces } from './places.js';
import { Suggestions } from './suggestions.js';
import { suggested } from './understood.js';
import { untilAnswered } from './waiting.js';

/** Creates the form of step 1: the place, which the user types, the device locates, or the user sets on the map. */
export function placeStep(draft, { next, problem }) {
  // The dialog's heading is the label.
  const field = new Field(
    '', { 'aria-labelledby': 'adding-title', 'aria-required': 'true', maxlength: 256, value: draft.place,
      placeholder: say('adding.place.example') }, say('adding.place.hint'));
  const waiting = element('p.notice', { role: 'status' });
  const yourself = element('button', { type: 'button', hidden: true, onclick: placeIt }, say('adding.yourself'));
  const find = element('button.primary', { type: 'submit' }, say('adding.find'));
  const position = element('button', { type: 'button', hidden: !canLocate() }, say('adding.position'));
  const stop = element('button', { type: 'button', hidden: true, onclick: () => attempt.abort() }, say('cancel'));
  let attempt = null;
  field.notes.append(waiting, yourself);
  const suggestions = new Suggestions(field, (place) => {
    draft.place = place.label;
    draft.take([suggested(place)], null);
    next();
  });
  field.input.addEventListener('input', () => {
    draft.place = field.value;
    yourself.hidden = true;
    attempt?.abort();
  });

  async function search() {
    suggestions.close();
    const text = draft.place.trim();
    if (!text) return fail(say('adding.place.empty'));
    // A user who returns to this step with the same text keeps the chosen place and the pin's position.
    if (draft.place === draft.found) return next();
    attempt = new AbortController();
    const { signal } = attempt;
    try {
      const places = await untilAnswered(() => findPlaces(text, { signal }), wait, signal);
      if (!places.length) return miss(...phrase('adding.not-found', { place: text }));
      draft.take(places, ownPoint());
      return next();
    } catch (error) {
      return error instanceof Cancelled ? field.input.focus() : fail(explain(error));
    } finally {
      stop.hidden = true;
      waiting.replaceChildren();
    }
  }

  function wait(error) {
    const text = say([`waiting.${error.code}`, 'waiting.server'].find(has));
    if (waiting.textContent !== text) waiting.textContent = text;
    stop.hidden = false;
  }

  /** Returns the point of an edited post, which is valid while the post's text is unchanged. */
  function ownPoint() {
    return draft.post?.place === draft.place ? draft.point : null;
  }

  function placeIt() {
    draft.take([], ownPoint());
    next();
  }

  function fail(...content) {
    field.showError(...content);
    field.input.focus();
  }

  /** Reports an unknown place, and offers to set the pin on the map. */
  function miss(...content) {
    yourself.hidden = false;
    fail(...content);
  }

  position.addEventListener('click', () => busy(position, async () => {
    field.showError('');
    try {
      const { coords } = await devicePosition();
      draft.putAt({ latitude: coords.latitude, longitude: coords.longitude });
      next();
    } catch (error) {
      fail(say(`adding.position.${error.code === error.PERMISSION_DENIED ? 'refused' : 'unavailable'}`));
    }
  }));
  const form = element('form', { novalidate: true, onsubmit: (event) => {
    event.preventDefault();
    busy(find, search);
  } }, field.root, element('div.actions', {}, stop, position, find));
  form.question = say('adding.place');
  form.begin = () => (problem ? miss(problem) : field.input.focus());
  form.end = () => {
    suggestions.close();
    attempt?.abort();
  };
  return form;
}
