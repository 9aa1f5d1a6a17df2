import { Dialog } from '../common/dialog.js';
import { element } from '../common/element.js';
import { has, say } from '../common/language.js';
import { toast } from '../common/toast.js';
import { AccountForm } from './account-form.js';
import { EmailField, firstNameField, lastNameField } from './fields.js';
import { NewPasswordField, PasswordField } from './password-field.js';
import { recoveryParts } from './recovery.js';

// The server's limit. (Domain/Limits/Limits+Accounts.swift.)
const returnBytesMax = 512;

/** The keys of the dialog's titles by mode. */
const titles = { 'sign-in': 'sign-in', 'sign-up': 'sign-up.title', 'recovery': 'recovery' };

/**
 * The dialog for sign-in with a password or a provider that the operator has configured, for sign-up, and for a
 * forgotten password.
 */
export class SignIn {
  #login;

  /**
   * @param {{methods: Array, signUpOpen: boolean, recovery?: string, operatorContact?: string}} login The enabled
   *   sign-in methods, true if sign-up is open, and the way to recover an account, which old servers do not name.
   */
  constructor(login) {
    this.#login = login;
  }

  /**
   * Shows the dialog.
   *
   * @param {Session} session The session to sign in.
   * @param {string} [reason] The key of a text that explains why a sign-in is needed.
   * @param {string} [mode] What the dialog shows first: `sign-in`, `sign-up` or `recovery`.
   * @returns {Promise<boolean>} True if the user has signed in.
   */
  async open(session, reason = null, mode = 'sign-in') {
    const dialog = new Dialog('', 'sign-in');
    const visit = { session, reason, dialog, email: session.account?.email ?? '', isDone: false };
    const closed = dialog.show();
    this.#show(visit, mode);
    await closed;
    return visit.isDone;
  }

  /** Says how it went at a provider, if the provider has just returned the user to this page. */
  async resume(session) {
    const address = new URL(location.href);
    const code = address.searchParams.get('loginError');
    const isLink = address.searchParams.has('linked');
    if (code === null && !isLink) return;
    address.searchParams.delete('loginError');
    address.searchParams.delete('linked');
    history.replaceState(history.state, '', address);
    if (isLink) toast(say(code === null ? 'identities.linked' : reasonKey(code)));
    else await this.open(session, reasonKey(code));
  }

  /** The enabled providers: the name of each, and the path of its sign-in page. */
  get providers() {
    return this.#login.methods.filter((method) => method.path);
  }

  /** Shows the dialog's parts of a mode, and focuses the first empty field. */
  #show(visit, mode) {
    const { dialog, reason } = visit;
    dialog.title.textContent = say(titles[mode]);
    const parts = {
      'sign-in': () => this.#signInParts(visit),
      'sign-up': () => [this.#signUpForm(visit).root, this.#choice(visit, 'sign-in.instead', 'sign-in')],
      'recovery': () => [
        ...recoveryParts(this.#login, addressField(visit)), this.#switch(visit, 'recovery.instead', 'sign-in')],
    }[mode]();
    if (reason && mode !== 'recovery') parts.unshift(element('p', {}, this.#reasonText(reason)));
    dialog.body.replaceChildren(...parts);
    const inputs = [...dialog.body.querySelectorAll('input')];
    (inputs.find((input) => input.value === '') ?? inputs[0] ?? dialog.title).focus();
  }

  #reasonText(reason) {
    return say(reason === 'sign-in.needed' && !this.#login.signUpOpen ? 'sign-in.needed.closed' : reason);
  }

  #signInParts(visit) {
    const { account } = visit.session;
    // An account without a password can sign in again only at its provider.
    if (account && !account.hasPassword && this.providers.length) return this.#providerLinks();
    const parts = [this.#signInForm(visit).root];
    if (this.#login.recovery) {
      parts.push(this.#switch(visit, 'recovery', 'recovery'));
    }
    parts.push(...this.#providerLinks());
    if (this.#login.signUpOpen) parts.push(this.#choice(visit, 'sign-up.instead', 'sign-up'));
    return parts;
  }

  /** Returns a question with a button that shows another mode. */
  #choice(visit, question, mode) {
    return element('p.aside', {}, say(question), ' ', this.#switch(visit, mode, mode));
  }

  /** Returns a button that shows another mode. */
  #switch(visit, label, mode) {
    return element('button.plain', { type: 'button', onclick: () => this.#show(visit, mode) }, say(label));
  }

  #signInForm(visit) {
    const email = addressField(visit);
    const password = new PasswordField(say('password'));
    return new AccountForm({ email, password }, { label: say('sign-in') }, () =>
      this.#enter(visit, () => visit.session.signIn(email.value, password.value)));
  }

  #signUpForm(visit) {
    const [firstName, lastName, email] = [firstNameField(), lastNameField(), addressField(visit)];
    const password = new NewPasswordField(say('password'));
    const fields = { firstName, lastName, email, password };
    return new AccountForm(fields, { label: say('sign-up') }, () => this.#enter(visit, () => visit.session.signUp({
      email: email.value, password: password.value, firstName: firstName.value, lastName: lastName.value })), {
      email_taken: { text: say('sign-up.taken'), label: say('sign-in'), run: () => this.#show(visit, 'sign-in') } });
  }

  /** Signs in and closes the dialog, which stays open meanwhile. */
  async #enter(visit, run) {
    visit.dialog.isHeld = true;
    try {
      await run();
    } finally {
      visit.dialog.isHeld = false;
    }
    visit.isDone = true;
    visit.dialog.close();
  }

  /** Returns a link to the sign-in page of each provider, which returns the user to this page. */
  #providerLinks() {
    return this.providers.map((method) => element(
      'a.button', { href: `${method.path}?return=${encodeURIComponent(returnPath())}` },
      say('sign-in.with', { name: method.name })));
  }
}

/** Returns the key of the text for a problem code of a redirect. A redirect has no values for placeholders. */
function reasonKey(code) {
  return [`login-error.${code}`, `problem.${code}`].find(has) ?? 'problem.unknown';
}

/** Returns the path of this page with the table's search, unless the server would refuse so long a path. */
function returnPath() {
  const path = location.pathname + location.search;
  return path.length > returnBytesMax ? location.pathname : path;
}

function addressField(visit) {
  const field = new EmailField({ autocomplete: 'username', value: visit.email });
  field.input.addEventListener('input', () => { visit.email = field.value; });
  return field;
}
