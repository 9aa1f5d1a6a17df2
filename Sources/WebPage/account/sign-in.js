import { explain, Problem } from '../common/api.js';
import { busy } from '../common/busy.js';
import { Dialog } from '../common/dialog.js';
import { element } from '../common/element.js';
import { Field } from '../common/field.js';
import { has, say } from '../common/language.js';

/** The dialog for sign-in with a password or a provider that the operator has configured, and for sign-up. */
export class SignIn {
  #methods;
  #isSignUpOpen;
  #session;

  /** @param {{methods: Array, signUpOpen: boolean}} login The enabled sign-in methods, and true if sign-up is open. */
  constructor({ methods, signUpOpen }) {
    this.#methods = methods;
    this.#isSignUpOpen = signUpOpen;
  }

  /**
   * Shows the dialog.
   *
   * @param {Session} session The session to sign in.
   * @param {string} [reason] The key of a text that explains why a sign-in is needed.
   * @returns {Promise<boolean>} True if the user has signed in.
   */
  async open(session, reason = null) {
    this.#session = session;
    const dialog = new Dialog(say('sign-in'), 'sign-in');
    const state = { email: session.account?.email ?? '', isDone: false };
    const closed = dialog.show();
    this.#show(dialog, state, reason, false);
    dialog.body.querySelector(state.email ? 'input[type=password]' : 'input').focus();
    await closed;
    return state.isDone;
  }

  /** Shows the dialog with the reason, if a provider has returned the user without a session. */
  async resume(session) {
    const address = new URL(location.href);
    const code = address.searchParams.get('loginError');
    if (code === null) return;
    address.searchParams.delete('loginError');
    history.replaceState(null, '', address);
    await this.open(session, reasonKey(code));
  }

  #show(dialog, state, reason, isNew) {
    dialog.title.textContent = say(isNew ? 'sign-up' : 'sign-in');
    const trouble = element('p.trouble', { role: 'alert' });
    const form = isNew ? this.#signUpForm(dialog, state, trouble) : this.#signInForm(dialog, state, trouble);
    const parts = [form];
    if (reason) parts.unshift(element('p', {}, say(reason)));
    if (!isNew) parts.push(...this.#providers());
    if (this.#isSignUpOpen || isNew) {
      parts.push(element('p.aside', {}, say(isNew ? 'sign-in.instead' : 'sign-up.instead'), ' ', element(
        'button.plain', { type: 'button', onclick: () => {
          this.#show(dialog, state, reason, !isNew);
          dialog.body.querySelector('input').focus();
        } }, say(isNew ? 'sign-in' : 'sign-up'))));
    }
    dialog.body.replaceChildren(...parts);
  }

  #signInForm(dialog, state, trouble) {
    const email = emailField(state);
    const password = new Field(
      say('password'), { type: 'password', required: true, autocomplete: 'current-password' });
    return this.#form([email, password], 'sign-in', dialog, state, trouble, () =>
      this.#session.signIn(email.value, password.value));
  }

  #signUpForm(dialog, state, trouble) {
    const first = new Field(say('first-name'), { required: true, autocomplete: 'given-name', maxlength: 100 });
    const last = new Field(say('last-name'), { autocomplete: 'family-name', maxlength: 100 });
    const email = emailField(state);
    const password = new Field(
      say('password'), { type: 'password', required: true, minlength: 8, autocomplete: 'new-password' },
      say('password.hint'));
    const fields = { firstName: first, lastName: last, email, password };
    return this.#form(Object.values(fields), 'sign-up', dialog, state, trouble, async () => {
      try {
        await this.#session.signUp({
          email: email.value, password: password.value, firstName: first.value, lastName: last.value });
      } catch (error) {
        if (!(error instanceof Problem) || !fields[error.field]) throw error;
        fields[error.field].showError(explain(error));
        fields[error.field].input.focus();
      }
    });
  }

  #form(fields, name, dialog, state, trouble, run) {
    const button = element('button.primary', { type: 'submit' }, say(name));
    return element('form', { onsubmit: (event) => {
      event.preventDefault();
      busy(button, async () => {
        trouble.textContent = '';
        dialog.isHeld = true;
        const before = this.#session.account;
        try {
          await run();
          if (this.#session.account !== before) {
            state.isDone = true;
            dialog.close();
          }
        } catch (error) {
          trouble.textContent = explain(error);
        } finally {
          dialog.isHeld = false;
        }
      });
    } }, ...fields.map((field) => field.root), trouble, element('div.actions', {}, button));
  }

  /** Returns a link to the sign-in page of each provider, which returns the user to this page. */
  #providers() {
    return this.#methods.filter((method) => method.path).map((method) => element(
      'a.button', { href: `${method.path}?return=${encodeURIComponent(location.pathname)}` },
      say('sign-in.with', { name: method.name })));
  }
}

/** Returns the key of the text for a problem code of a redirect. A redirect has no values for placeholders. */
function reasonKey(code) {
  return [`login-error.${code}`, `problem.${code}`].find(has) ?? 'problem.unknown';
}

function emailField(state) {
  const field = new Field(
    say('email'), { type: 'email', required: true, autocomplete: 'username', value: state.email });
  field.input.addEventListener('input', () => { state.email = field.value; });
  return field;
}
