import { Cancelled, explain, Problem } from '../common/api.js';
import { busy } from '../common/busy.js';
import { element } from '../common/element.js';
import { say } from '../common/language.js';

const secondMs = 1_000;

/**
 * A form about an account. An error appears at its field, or else below the fields. While the server refuses further
 * attempts, the form counts down and its button is disabled.
 */
export class AccountForm {
  #fields;
  #send;
  #remedies;
  #trouble = element('p.trouble', { role: 'alert' });

  /**
   * @param {Object<string, Field>} fields The fields by their names in the API. A required field has `empty`, the text
   *   for no input. A field may have `complaint`, the text about wrong input.
   * @param {{label: string, kind?: string}} button The text and the class of the button.
   * @param {function(): Promise} send Sends the input. The form shows the error that it throws.
   * @param {Object<string, {text?: string, label: string, run: function}>} [remedies] For codes of problems: another
   *   text, and a button that helps.
   */
  constructor(fields, { label, kind = 'primary' }, send, remedies = {}) {
    [this.#fields, this.#send, this.#remedies] = [fields, send, remedies];
    this.button = element(`button.${kind}`, { type: 'submit' }, label);
    this.actions = element('div.actions', {}, this.button);
    this.root = element(
      'form', { novalidate: true, onsubmit: (event) => {
        event.preventDefault();
        this.#submit();
      } }, ...Object.values(fields).map((field) => field.root), this.#trouble, this.actions);
  }

  /** Shows an error at its field, or else below the fields. */
  showError(error) {
    if (error instanceof Cancelled) return;
    const field = this.#fields[error.field];
    const remedy = this.#remedies[error.code];
    const text = remedy?.text ?? explain(error);
    const content = remedy
      ? [text, ' ', element('button.plain', { type: 'button', onclick: remedy.run }, remedy.label)] : [text];
    if (field) field.showError(...content);
    else this.#trouble.replaceChildren(...content);
    field?.input.focus();
  }

  async #submit() {
    if (this.button.getAttribute('aria-disabled') === 'true' || this.#hasWrongInput()) return;
    this.#trouble.textContent = '';
    try {
      await busy(this.button, this.#send);
    } catch (error) {
      this.showError(error);
      if (error instanceof Problem && error.status === 429) this.#countDown(error);
    }
  }

  #hasWrongInput() {
    const fields = Object.values(this.#fields).filter((field) => !field.root.hidden);
    for (const field of fields) {
      field.showError(field.input.required && field.value === '' ? field.empty : field.complaint ?? '');
    }
    const wrong = fields.find((field) => field.error.textContent !== '');
    wrong?.input.focus();
    return wrong !== undefined;
  }

  #countDown(problem) {
    const endMs = Date.now() + (problem.retryAfter ?? 0) * secondMs;
    this.button.setAttribute('aria-disabled', 'true');
    const timer = setInterval(() => {
      // The alert has announced the time once. An announcement every second would drown everything else.
      this.#trouble.setAttribute('aria-live', 'off');
      problem.retryAfter = Math.ceil((endMs - Date.now()) / secondMs);
      if (problem.retryAfter > 0 && this.root.isConnected) {
        this.#trouble.replaceChildren(explain(problem));
        return;
      }
      clearInterval(timer);
      this.#trouble.textContent = '';
      this.#trouble.removeAttribute('aria-live');
      this.button.removeAttribute('aria-disabled');
    }, secondMs);
  }
}

/** A form with saved values. It shows its button only while the input differs from them, and a word after each save. */
export class SettingsForm extends AccountForm {
  #fields;
  #saved = element('p.saved', { role: 'status', tabindex: '-1' });

  /** The parameters of `AccountForm`. `save` resolves to the text for the user. */
  constructor(fields, button, save, remedies) {
    super(fields, button, async () => this.#showSaved(await save()), remedies);
    this.#fields = fields;
    this.root.append(this.#saved);
    this.root.addEventListener('input', () => this.#follow());
    this.#follow();
  }

  /** True if the input of a field differs from its saved value. */
  isChanged(field) {
    return field.value !== field.input.defaultValue;
  }

  /** Fills the fields with saved values by name. Other fields become empty. */
  fill(values) {
    for (const [name, field] of Object.entries(this.#fields)) field.input.defaultValue = values[name] ?? '';
    this.root.reset();
    this.#follow();
  }

  #follow() {
    this.actions.hidden = !Object.values(this.#fields).some((field) => this.isChanged(field));
    this.#saved.textContent = '';
  }

  #showSaved(text) {
    this.#saved.textContent = text;
    // The button has disappeared, and the focus with it.
    this.#saved.focus();
  }
}

/** Returns the remedy for a problem that requires a recent sign-in. The user signs in, and then repeats the action. */
export function signInAgain(session, signIn) {
  return { login_not_recent: {
    label: say('sign-in.again'), run: () => signIn.open(session, 'sign-in.recent') } };
}
