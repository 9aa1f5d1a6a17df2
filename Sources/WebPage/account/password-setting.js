import { say } from '../common/language.js';
import { SettingsForm, signInAgain } from './account-form.js';
import { NewPasswordField, PasswordField, usernameField } from './password-field.js';
import { setting } from './setting.js';

/** The section that changes the password, or sets the first one of an account that has signed in with a provider. */
export class PasswordSetting {
  #session;
  #form;
  #current = new PasswordField(say('password.current'));
  #next = new NewPasswordField(say('password.new'));

  constructor(session, signIn) {
    this.#session = session;
    this.#form = new SettingsForm(
      { currentPassword: this.#current, password: this.#next }, { label: say('password.save') }, () => this.#save(),
      signInAgain(session, signIn));
    this.#form.root.prepend(usernameField(session.account.email));
    this.#current.root.hidden = !session.account.hasPassword;
    this.root = setting('password', this.#form.root);
  }

  async #save() {
    const change = { password: this.#next.value };
    if (!this.#current.root.hidden) change.currentPassword = this.#current.value;
    await this.#session.changePassword(change);
    this.#current.root.hidden = false;
    this.#form.fill({});
    return say('password.saved');
  }
}
