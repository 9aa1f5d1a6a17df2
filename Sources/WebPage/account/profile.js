import { busy } from '../common/busy.js';
import { element } from '../common/element.js';
import { say } from '../common/language.js';
import { toast } from '../common/toast.js';
import { SettingsForm, signInAgain } from './account-form.js';
import { EmailField, firstNameField, lastNameField } from './fields.js';
import { sendConfirmation } from './mail-link.js';
import { PasswordField } from './password-field.js';
import { setting } from './setting.js';

// Accounts whose provider gave no address have a random one there, which leads nowhere.
const noAddress = '@login.invalid';

/** The section with the account's names and email address. */
export class Profile {
  #session;
  #fields;
  #form;
  #sendsMail;
  #notice;

  constructor(session, signIn, login) {
    this.#session = session;
    const [firstName, lastName, email] = [firstNameField(), lastNameField(), new EmailField({ autocomplete: 'email' })];
    const currentPassword = new PasswordField(say('password.current'));
    this.#fields = { firstName, lastName, email, currentPassword };
    this.#form = new SettingsForm(
      this.#fields, { label: say('save') }, () => this.#save(), signInAgain(session, signIn));
    email.input.addEventListener('input', () => this.#showPassword());
    this.#sendsMail = login.recovery === 'mail';
    this.#notice = this.#confirmationNotice();
    this.root = setting('profile', this.#notice, this.#form.root);
    this.#fill();
  }

  /** Shows or hides the notice about an address that is not confirmed. */
  showNotice() {
    this.#notice.hidden = !this.#sendsMail || this.#session.account.emailConfirmed || !this.#hasAddress;
  }

  get #hasAddress() {
    return !this.#session.account.email.endsWith(noAddress);
  }

  async #save() {
    const changed = Object.entries(this.#fields).filter(
      ([, field]) => !field.root.hidden && this.#form.isChanged(field));
    await this.#session.change(Object.fromEntries(changed.map(([name, field]) => [name, field.value])));
    this.#fill();
    return say('saved');
  }

  #fill() {
    const { account } = this.#session;
    this.#fields.email.input.required = this.#hasAddress;
    this.#form.fill({ ...account, email: this.#hasAddress ? account.email : '' });
    this.showNotice();
    this.#showPassword();
  }

  /** Asks for the password only while the email address is another one, which is what the server requires it for. */
  #showPassword() {
    const isNeeded = this.#session.account.hasPassword && this.#form.isChanged(this.#fields.email);
    this.#fields.currentPassword.root.hidden = !isNeeded;
    if (!isNeeded) this.#fields.currentPassword.value = '';
  }

  #confirmationNotice() {
    const result = element('p', { role: 'status' });
    const button = element('button', { type: 'button', onclick: () => busy(button, async () => {
      const text = await sendConfirmation(this.#session);
      result.replaceChildren(text);
      if (!this.#notice.hidden) return;
      // The address is confirmed already. The notice has disappeared, and the focus with it.
      this.root.querySelector('h3').focus();
      toast(text);
    }) }, say('confirm.send'));
    return element('div.notice', {}, element('p', {}, say('confirm.missing')), result, button);
  }
}
