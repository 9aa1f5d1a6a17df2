import { Cancelled, explain } from './common/api.js';
import { announce } from './common/announce.js';
import { busy } from './common/busy.js';
import { byId, element } from './common/element.js';
import { choose, initial, language, languages, say } from './common/language.js';
import { toast } from './common/toast.js';

/** Shows how the connection stands, in a word and by a dot. */
export function showConnection(connection) {
  const place = byId('connection');
  const show = () => {
    place.dataset.state = connection.state;
    place.firstElementChild.textContent = say(`connection.${connection.state}`);
    place.title = say(`connection.${connection.state}.more`);
  };
  connection.addEventListener('change', show);
  show();
}

/** Where the map is closed to whoever is here, it says so, and shows the way in. */
export function offerEntry(connection, enter) {
  const place = byId('closed');
  connection.addEventListener('change', () => {
    place.hidden = connection.state !== 'shut';
    byId('refresh').disabled = connection.state === 'shut';
  });
  byId('enter').addEventListener('click', enter);
}

/** Asks for the list anew, when it is pressed. */
export function offerRefresh(connection) {
  byId('refresh').addEventListener('click', () => busy(byId('refresh'), async () => {
    const came = await connection.refresh();
    if (came) announce(say('refreshed'));
    else toast(say('problem.offline'));
  }));
}

/**
 * Shows who is signed in, and the way in and out.
 *
 * @param {function(): Promise<void>} [finish] ends what the person has begun, before the session ends
 */
export function showAccount(session, signIn, finish = async () => {}) {
  const menu = byId('account-menu');
  const show = () => {
    const { account } = session;
    const name = account ? `${account.firstName} ${account.lastName}`.trim() : '';
    byId('sign-in').hidden = account !== null;
    byId('account').hidden = account === null;
    byId('account').setAttribute('aria-label', say('account.of', { name }));
    byId('account-initial').textContent = initial(name);
    byId('account-name').textContent = account?.firstName ?? '';
    byId('account-full-name').textContent = name;
    byId('account-email').textContent = account?.email ?? '';
    byId('admin').hidden = !account?.isOperator;
    // An old browser without popovers shows the menu in the bar.
    if (account === null) menu.hidePopover?.();
  };
  session.addEventListener('change', show);
  show();
  byId('sign-in').addEventListener('click', () => signIn.open(session));
  byId('sign-out').addEventListener('click', () => busy(byId('sign-out'), async () => {
    try {
      await finish();
      await session.signOut();
      byId('sign-in').focus();
      toast(say('signed-out'));
    } catch (error) {
      if (!(error instanceof Cancelled)) toast(say('signed-out.not', { reason: explain(error) }));
    }
  }));
}

/** Offers the languages that there are texts for. */
export function offerLanguages() {
  const select = byId('language');
  select.append(...Object.entries(languages).map(([code, name]) =>
    element('option', { value: code, lang: code, selected: code === language }, name)));
  select.addEventListener('change', () => choose(select.value));
}
