import { say } from '../common/language.js';
import { SettingsForm, signInAgain } from './account-form.js';
import { NewPasswordField, PasswordField, usernameField } from './password-field.js';
import { setting } from './setting.js';

/** The section that changes the password, or sets the first one of an account that has signed in with a provider. */
export class PasswordSetting {
  #session;
  #form;
  #username;
  #current = new PasswordField(say('password.current'));
  #next = new NewPasswordField(say('password.new'));

  constructor(session, signIn) {
    this.#session = session;
    this.#form = new SettingsForm(
      { currentPassword: this.#current, password: this.#next }, { label: say('password.save') }, () => this.#save(),
      signInAgain(session, signIn));
    this.#username = usernameField(session.account.email);
    this.#form.root.prepend(this.#username);
    this.root = setting('password', this.#form.root);
    this.follow();
  }

  /** Follows a change of the account: its address, or its first password. */
  follow() {
    const { email, hasPassword } = this.#session.account;
    this.#username.defaultValue = email;
    this.#current.root.hidden = !hasPassword;
  }

  async #save() {
    const change = { password: this.#next.value };
    if (!this.#current.root.hidden) change.currentPassword = this.#current.value;
    await this.#session.changePassword(change);
    this.#form.fill({});
    return say('password.saved');
  }
}
