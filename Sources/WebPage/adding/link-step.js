import { Cancelled, explain, Problem } from '../common/api.js';
import { busy } from '../common/busy.js';
import { element } from '../common/element.js';
import { Field } from '../common/field.js';
import { say } from '../common/language.js';
import { phrase } from '../common/phrase.js';
import { checkLink } from './link.js';

/** Creates the form of step 3: the link, and for a user with a pin the choice to move that pin. */
export function linkStep(draft, newest, { submit, back }) {
  // The dialog's heading is the label.
  const field = new Field(
    '', { type: 'text', inputmode: 'url', autocapitalize: 'off', spellcheck: 'false', 'aria-labelledby': 'adding-title',
      'aria-required': 'true', autocomplete: 'url', value: draft.link, placeholder: 'example.org/ada' },
    say('adding.link.hint'));
  const trouble = element('p.trouble', { role: 'alert' });
  const button = element('button.primary', { type: 'submit' }, say(draft.post ? 'adding.save' : 'adding.submit'));

  function check(isFinal) {
    const { href, reason, handle } = checkLink(field.value);
    if (href) {
      field.showError('');
      field.hint.replaceChildren(...phrase('adding.link.opens', { link: href }));
      return true;
    }
    field.hint.textContent = say('adding.link.hint');
    // An empty field is an error only when the user submits it.
    field.showError(...(reason === 'link.empty' && !isFinal ? [] : phrase(reason, { handle })));
    return false;
  }

  field.input.addEventListener('input', () => {
    draft.link = field.value;
    check(false);
  });
  if (draft.link) check(false);

  async function send() {
    trouble.textContent = '';
    if (!check(true)) return field.input.focus();
    try {
      return await submit();
    } catch (error) {
      if (error instanceof Cancelled) return undefined;
      if (error instanceof Problem && error.field === 'link') field.showError(explain(error));
      else trouble.replaceChildren(explain(error));
      return undefined;
    }
  }

  const form = element('form', { novalidate: true, onsubmit: (event) => {
    event.preventDefault();
    busy(button, send);
  } }, element('p.chosen', {}, element('bdi', {}, draft.name)), field.root, replacementChoice(draft, newest), trouble,
  element('div.actions', {}, element('button', { type: 'button', onclick: back }, say('back')), button));
  form.question = say('adding.link');
  form.begin = () => field.input.focus();
  return form;
}

/** Lets a user with a pin choose between another pin and a move of the newest pin. Null without a pin. */
function replacementChoice(draft, newest) {
  if (draft.replaced !== newest?.id) draft.replaced = null;
  if (draft.post || !newest) return null;
  const choice = (replaced, ...text) => element('label', {}, element('input', {
    type: 'radio', name: 'replaced', checked: draft.replaced === replaced,
    onchange: () => { draft.replaced = replaced; } }), element('span', {}, ...text));
  return element('fieldset.choices', {}, element('legend', {}, say('adding.again')),
    choice(null, say('adding.another')),
    choice(newest.id, ...phrase('adding.replace', { place: newest.place })));
}
