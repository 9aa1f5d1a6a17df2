import { Dialog } from '../common/dialog.js';
import { element } from '../common/element.js';
import { say } from '../common/language.js';
import { AccountForm, signInAgain } from './account-form.js';
import { PasswordField, usernameField } from './password-field.js';

/**
 * Asks before an action for which a session does not suffice, because a session may be stolen. An account with a
 * password has to enter it. Other accounts need a recent sign-in.
 *
 * @param {{title: string, text: string, label: string, kind?: string, send: function(Object): Promise}} action The
 *   dialog's texts, the class of its button, and the action. Its parameter is the confirmation for the server.
 * @returns {Promise<boolean>} True if the action has succeeded.
 */
export async function withPassword(session, signIn, { title, text, label, kind, send }) {
  const { email, hasPassword } = session.account;
  const dialog = new Dialog(title, 'with-password');
  const fields = hasPassword ? { currentPassword: new PasswordField(say('password.current')) } : {};
  let isDone = false;
  const form = new AccountForm(fields, { label, kind }, async () => {
    dialog.isHeld = true;
    try {
      await send({ currentPassword: fields.currentPassword?.value });
    } finally {
      dialog.isHeld = false;
    }
    isDone = true;
    dialog.close();
  }, signInAgain(session, signIn));
  form.root.prepend(usernameField(email));
  form.actions.prepend(element('button', { type: 'button', onclick: () => dialog.close() }, say('cancel')));
  dialog.body.append(element('p', {}, text), form.root);
  const closed = dialog.show();
  (fields.currentPassword?.input ?? dialog.title).focus();
  await closed;
  return isDone;
}
