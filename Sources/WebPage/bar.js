import { Cancelled, explain } from './common/api.js';
import { announce } from './common/announce.js';
import { busy } from './common/busy.js';
import { byId, element } from './common/element.js';
import { choose, initial, language, languages, say } from './common/language.js';
import { toast } from './common/toast.js';

/** Shows the connection's state as a text and a dot. A tap shows the explanation, because phones show no tooltips. */
export function showConnection(connection) {
  const place = byId('connection');
  const show = () => {
    place.dataset.state = connection.state;
    place.firstElementChild.textContent = say(`connection.${connection.state}`, { seconds: connection.pollSeconds });
    place.title = say(`connection.${connection.state}.more`);
  };
  connection.addEventListener('change', show);
  let close = () => {};
  place.addEventListener('click', () => {
    close();
    close = toast(place.title);
  });
  show();
}

/** Shows a notice and a sign-in button if the map is members-only and nobody is signed in. */
export function offerEntry(connection, enter) {
  const place = byId('members-only');
  connection.addEventListener('change', () => {
    place.hidden = connection.state !== 'members-only';
    byId('refresh').disabled = connection.state === 'members-only';
  });
  byId('enter').addEventListener('click', enter);
}

/** Makes the refresh button load the list. */
export function offerRefresh(connection) {
  byId('refresh').addEventListener('click', () => busy(byId('refresh'), async () => {
    const isLoaded = await connection.refresh();
    if (isLoaded) announce(say('refreshed'));
    else toast(say('problem.offline'));
  }));
}

/**
 * Shows the account with its sign-in and sign-out buttons.
 *
 * @param {function(): Promise<void>} [finish] Finishes the user's pending actions before the session ends.
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
    byId('admin').hidden = !account?.operator;
    // A browser without popovers shows the menu in the bar.
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
      if (!(error instanceof Cancelled)) toast(say('sign-out.failed', { reason: explain(error) }));
    }
  }));
}

/** Fills the language menu with the page's languages. */
export function offerLanguages() {
  const select = byId('language');
  select.append(...Object.entries(languages).map(([code, name]) =>
    element('option', { value: code, lang: code, selected: code === language }, name)));
  select.addEventListener('change', () => choose(select.value));
}
