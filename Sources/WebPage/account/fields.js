import { Field } from '../common/field.js';
import { say } from '../common/language.js';

const nameCharacters = 100;

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

/** Creates the field of the email address. */
export function emailField(attributes) {
  const field = new Field(say('email'), { type: 'email', required: true, ...attributes });
  field.empty = say('problem.invalid_email');
  return field;
}
