import { Field } from '../common/field.js';
import { say } from '../common/language.js';

const nameCharacters = 100;
// Only the server knows the whole rule. Every address has this form.
const addressForm = /^[^@]+@[^@]+$/;

/** Creates the field of the first name. */
export function firstNameField() {
  const field = new Field(say('first-name'), {
    required: true, autocomplete: 'given-name', dir: 'auto', maxlength: nameCharacters });
  field.empty = say('first-name.empty');
  return field;
}

/** Creates the field of the last name, which may be empty. */
export function lastNameField() {
  return new Field(say('last-name'), { autocomplete: 'family-name', dir: 'auto', maxlength: nameCharacters });
}

/** The field of the email address. */
export class EmailField extends Field {
  /** The text for no input. */
  empty = say('problem.invalid_email');

  constructor(attributes) {
    super(say('email'), { type: 'email', required: true, ...attributes });
  }

  /** The text about input that is no address. */
  get complaint() {
    return this.value === '' || addressForm.test(this.value) ? '' : this.empty;
  }
}
