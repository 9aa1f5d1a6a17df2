import { Cancelled, explain, Problem, request } from '../common/api.js';
import { busy } from '../common/busy.js';
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
  const dialog = new Dialog(say(`${purpose}.title`), 'mail-link');
  const visit = { purpose, token, dialog, session, signIn };
  const closed = dialog.show();
  if (!token) offerAnother(visit, 'mail-link.incomplete');
  else if (purpose === 'reset') askForPassword(visit);
  else askToConfirm(visit);
  return closed;
}

/** Asks for a new password, and signs in. */
function askForPassword(visit) {
  const { token, dialog, session } = visit;
  const password = new NewPasswordField(say('password.new'));
  const form = new AccountForm({ password }, { label: say('password.save') }, async () => {
    try {
      await session.recover(token, password.value);
    } catch (error) {
      if (!isInvalid(error)) throw error;
      offerAnother(visit, 'problem.invalid_token');
      return;
    }
    dialog.close();
    toast(say('reset.done'));
  });
  dialog.body.append(form.root);
  password.input.focus();
}

/**
 * Confirms the email address after a press. Scanners of mails open links and may run scripts, but press no button. The
 * button names no address, because the link may belong to another account than the signed-in one.
 */
function askToConfirm(visit) {
  const { token, dialog, session } = visit;
  const form = new AccountForm({}, { label: say('confirm') }, async () => {
    try {
      await request('PUT', '/v2/confirmation', { body: { token } });
    } catch (error) {
      if (!isInvalid(error)) throw error;
      // Many people open the link twice.
      if (session.account) await session.refresh();
      if (!session.account?.emailConfirmed) {
        offerAnother(visit, 'problem.invalid_token');
        return;
      }
    }
    answer(dialog, say('confirm.done'));
    if (session.account) await session.refresh();
  });
  dialog.body.append(form.root);
  form.button.focus();
}

/** Says why the link does not work, and offers to send another one. */
function offerAnother({ purpose, dialog, session, signIn }, reason) {
  const send = async () => {
    if (purpose === 'reset') {
      dialog.close();
      signIn.open(session, null, 'recovery');
    } else if (session.account !== null || await signIn.open(session)) {
      const text = await busy(button, () => sendConfirmation(session));
      if (text) answer(dialog, text);
    }
  };
  const text = element('p', { id: 'mail-link-reason', role: 'alert' }, say(reason));
  const button = element('button.primary', {
    type: 'button', 'aria-describedby': text.id, onclick: send }, say('recovery.again'));
  dialog.body.replaceChildren(text, element('div.actions', {}, button));
  button.focus();
}

/** Shows the result, with a button that closes the dialog. */
function answer(dialog, content) {
  const text = element('p', { role: 'status', tabindex: '-1' }, content);
  dialog.body.replaceChildren(text, element('div.actions', {}, element(
    'button.primary', { type: 'button', onclick: () => dialog.close() }, say('pin.gone.map'))));
  text.focus();
}

function isInvalid(error) {
  return error instanceof Problem && error.code === 'invalid_token';
}

/**
 * Asks for a mail that confirms the email address. Resolves to a text for the user, also after an error. Without the
 * user's sign-in, the text is empty.
 */
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
