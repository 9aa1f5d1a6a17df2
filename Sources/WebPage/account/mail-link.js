import { Cancelled, explain, Problem, request } from '../common/api.js';
import { Dialog } from '../common/dialog.js';
import { element } from '../common/element.js';
import { say } from '../common/language.js';
import { wait } from '../common/quantity.js';
import { toast } from '../common/toast.js';
import { AccountForm } from './account-form.js';
import { NewPasswordField } from './password-field.js';

/**
 * Takes the token out of the address if a link in a mail has opened the page. Only memory has the token then: no
 * history, bookmark or shared address reveals it.
 *
 * @returns {{purpose: string, token: string}|null} The purpose is `reset` or `confirm`.
 */
export function takeMailLink() {
  const purpose = location.pathname.slice(1);
  if (!['reset', 'confirm'].includes(purpose)) return null;
  const token = location.hash.slice(1);
  history.replaceState(null, '', '/');
  return { purpose, token };
}

/** Shows the dialog of a link in a mail. Resolves when it closes. */
export function openMailLink({ purpose, token }, session, signIn) {
  return purpose === 'reset' ? resetPassword(token, session, signIn) : confirmEmail(token, session, signIn);
}

/** Asks for a new password, and signs in. */
function resetPassword(token, session, signIn) {
  const dialog = new Dialog(say('reset.title'), 'mail-link');
  const password = new NewPasswordField(say('password.new'));
  const form = new AccountForm({ password }, { label: say('password.save') }, async () => {
    await session.recover(token, password.value);
    dialog.close();
    toast(say('reset.done'));
  }, { invalid_token: { label: say('recovery.again'), run: () => {
    dialog.close();
    signIn.open(session, null, 'recovery');
  } } });
  dialog.body.append(form.root);
  const closed = dialog.show();
  password.input.focus();
  return closed;
}

/** Confirms the email address, and says so. The form is for a second attempt. */
function confirmEmail(token, session, signIn) {
  const dialog = new Dialog(say('confirm.title'), 'mail-link');
  const result = element('p', { role: 'status' });
  const finish = (text) => {
    form.root.hidden = true;
    result.textContent = text;
    dialog.title.focus();
  };
  const form = new AccountForm({}, { label: say('confirm') }, async () => {
    try {
      await request('PUT', '/v2/confirmation', { body: { token } });
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'invalid_token') throw error;
      form.actions.hidden = true;
      // Many people open the link twice.
      if (session.account) await session.refresh();
      if (!session.account?.emailConfirmed) throw error;
    }
    finish(say('confirm.done'));
    if (session.account) await session.refresh();
  }, { invalid_token: { label: say('recovery.again'), run: async () => {
    if (session.account !== null || await signIn.open(session)) finish(await sendConfirmation(session));
  } } });
  dialog.body.append(result, form.root);
  const closed = dialog.show();
  form.root.requestSubmit();
  return closed;
}

/** Asks for a mail that confirms the email address. Resolves to a text for the user, also after an error. */
export async function sendConfirmation(session) {
  try {
    const { status, body } = await session.request('POST', '/v2/account/confirmation');
    if (status === 202) {
      return say('confirm.sent', { email: session.account.email, time: wait(body.validSeconds) });
    }
    await session.refresh();
    return say('confirm.done');
  } catch (error) {
    return error instanceof Cancelled ? '' : explain(error);
  }
}
