import { busy } from '../common/busy.js';
import { element } from '../common/element.js';
import { say } from '../common/language.js';
import { NameField } from './name-field.js';
import { PinMap } from './pin-map.js';
import { understanding } from './understood.js';

/**
 * Creates the form of step 2: the pin on a map. Above it are the choice among the places that the search found, and
 * notes about the text. If the user sets the pin without a search, the form has the place's name instead.
 */
export function previewStep(draft, tiles, { next, back }) {
  const name = draft.candidate ? null : new NameField(draft);
  const notice = element('div.notice', { id: 'adding-notice', role: 'status' });
  const ground = element('div.preview-map', { role: 'region', 'aria-label': say('adding.preview') });
  const where = element('p.hint', { role: 'status' });
  const trouble = element('p.trouble', { role: 'alert' });
  const button = element('button.primary', { type: 'submit', 'aria-describedby': notice.id }, say('adding.use'));
  let map;

  function choose(index) {
    Object.assign(draft, { chosen: index, point: null });
    show();
  }

  function show() {
    if (!name) map.showPlace(draft.candidate, draft.point);
    else if (draft.point) map.showPoint(draft.point);
    describe(!draft.position ? 'adding.set' : draft.point && !name ? 'adding.moved' : 'adding.drag');
  }

  function move(point) {
    draft.point = point;
    name?.follow(point);
    describe('adding.moved');
  }

  function describe(key) {
    trouble.textContent = '';
    where.textContent = say(key);
    if (name) return;
    const { lines, isMild } = understanding(draft.candidate, draft.found ?? '', draft.point !== null);
    notice.classList.toggle('mild', isMild);
    notice.replaceChildren(...lines.map((line) => element('p', {}, ...line)));
  }

  async function use() {
    if (!draft.position) {
      where.textContent = '';
      trouble.textContent = say('adding.set.first');
      map.focus();
      trouble.scrollIntoView({ block: 'nearest' });
      return;
    }
    await name?.settled;
    if (draft.name) {
      next();
      return;
    }
    name.showError(say('adding.name.empty'));
    name.input.focus();
  }

  const form = element('form', { novalidate: true, onsubmit: (event) => {
    event.preventDefault();
    busy(button, use);
  } }, notice, name ? name.root : choices(draft, choose), ground, where, trouble, element('div.actions', {},
    element('button', { type: 'button', onclick: back }, say('back')), button));
  form.question = say(draft.candidates.length > 1 ? 'adding.which' : draft.position ? 'adding.right' : 'adding.where');
  // The map needs a size, so the form must be in the page.
  form.begin = () => {
    map = new PinMap(ground, tiles, move);
    show();
    if (name && draft.point) name.follow(draft.point);
    if (name) map.focus();
    else (form.querySelector('input:checked') ?? button).focus();
  };
  form.end = () => {
    name?.end();
    map.end();
  };
  return form;
}

/** Returns a choice among the candidates, or the name of the only candidate. The dialog's heading is the question. */
function choices(draft, choose) {
  if (draft.candidates.length === 1) return element('p.chosen', {}, element('bdi', {}, draft.name));
  const choice = ({ label, level }, index) => element(
    'label', {}, element('input', {
      type: 'radio', name: 'candidate', value: index, checked: index === draft.chosen, onchange: () => choose(index) }),
    element('span', {}, element('bdi', {}, label), ' ', element('span.quiet', {}, say(`level.${level}`))));
  return element('fieldset.choices', { 'aria-labelledby': 'adding-title' }, ...draft.candidates.map(choice));
}
