import { request } from '../common/api.js';
import { element } from '../common/element.js';
import { say } from '../common/language.js';
import { wait } from '../common/quantity.js';
import { AccountForm } from './account-form.js';

/**
 * Returns the parts of a dialog about a forgotten password: a form that asks for a mail with a link, or the operator's
 * contact if the server sends no mail.
 */
export function recoveryParts({ recovery, operatorContact }, email) {
  if (recovery !== 'mail') return [operatorText(operatorContact)];
  const answer = element('p', { role: 'status', tabindex: '-1' });
  const form = new AccountForm({ email }, { label: say('recovery.send') }, async () => {
    const { body } = await request('POST', '/v2/recovery', { body: { email: email.value } });
    // The text is the same for every address. It must not reveal which addresses have accounts.
    answer.textContent = say('recovery.sent', { time: wait(body.validSeconds) });
    form.root.hidden = true;
    answer.focus();
  });
  return [answer, form.root];
}

function operatorText(contact) {
  if (!contact) return element('p', {}, say('recovery.operator'));
  const isPage = contact.startsWith('https://');
  return element('p', {}, say('recovery.operator'), ' ', element(
    'a', { href: isPage ? contact : `mailto:${contact}` }, contact));
}
