import { element } from '../common/element.js';
import { Field } from '../common/field.js';
import { glyph } from '../common/glyph.js';
import { say } from '../common/language.js';

// The server's limits. (Domain/Limits/Limits.swift.)
const [leastBytes, mostBytes] = [8, 1_024];
const eye = ['M1 8q7-9.5 14 0-7 9.5-14 0Z', 'M8 6.4a1.6 1.6 0 1 0 .1 0Z', 'M2.5 13.5l11-11'];

/** A field for a password that the account has, with a button that shows the characters. */
export class PasswordField extends Field {
  /** The text for no input. */
  empty = say('password.empty');

  constructor(label, attributes = { autocomplete: 'current-password' }, hint = '') {
    super(label, { type: 'password', required: true, ...attributes }, hint);
    const toggle = element(
      'button.icon', { type: 'button', 'aria-pressed': 'false', 'aria-controls': this.input.id, onclick: () => {
        const isShown = this.input.type === 'password';
        this.input.type = isShown ? 'text' : 'password';
        toggle.setAttribute('aria-pressed', String(isShown));
      } }, glyph(...eye), element('span.unseen', {}, say('password.show')));
    const row = element('div.password', {});
    this.input.replaceWith(row);
    row.append(this.input, toggle);
  }
}

/** A field for a new password. */
export class NewPasswordField extends PasswordField {
  constructor(label) {
    super(label, { autocomplete: 'new-password' }, say('password.hint'));
  }

  /** The text about a password of the wrong length. Only the server knows which passwords are common. */
  get complaint() {
    const { length } = new TextEncoder().encode(this.value);
    if (length < leastBytes) return say('password.short');
    return length > mostBytes ? say('password.long') : '';
  }
}

/** Returns an unseen field with the account's address, so that password managers know which password is meant. */
export function usernameField(email) {
  return element('input', { type: 'text', autocomplete: 'username', value: email, readonly: true, hidden: true });
}
