import { Cancelled, explain } from './common/api.js';
import { announce } from './common/announce.js';
import { busy } from './common/busy.js';
import { byId, element } from './common/element.js';
import { choose, initial, language, languages, recent, say } from './common/language.js';
import { phrase } from './common/phrase.js';
import { toast } from './common/toast.js';

/**
 * Shows the page's state as a text and a dot. While the page has no connection, the text has the time of the list. A
 * press shows the explanation, because phones and keyboards show no tooltips.
 */
export function showConnection(status) {
  const place = byId('connection');
  const show = () => {
    const { state, listMs, pollSeconds } = status;
    const isOld = state === 'offline' && listMs !== null;
    place.dataset.state = state;
    place.querySelector('span').textContent = isOld
      ? say('connection.offline.list', { time: recent(listMs) })
      : say(`connection.${state}`, { seconds: pollSeconds });
    place.title = say(`connection.${state}.more`);
  };
  status.addEventListener('change', show);
  let close = () => {};
  place.addEventListener('click', () => {
    close();
    close = toast(place.title);
  });
  show();
}

/** Shows a bar to everybody while the operator has paused the map. */
export function showPause(status) {
  status.addEventListener('change', () => {
    const bar = byId('standing');
    bar.hidden = status.pausedAt === null;
    bar.textContent = bar.hidden ? '' : say('connection.paused.more');
  });
}

/** Shows a notice and a sign-in button if the map is members-only and nobody is signed in. */
export function offerEntry(connection, enter) {
  const place = byId('members-only');
  connection.addEventListener('change', () => { place.hidden = connection.state !== 'members-only'; });
  byId('enter').addEventListener('click', enter);
}

/** Makes the refresh button load the list. Style sheets hide the button while the list is live. */
export function offerRefresh(connection) {
  byId('refresh').addEventListener('click', () => busy(byId('refresh'), async () => {
    const isLoaded = await connection.refresh();
    if (isLoaded) announce(say('refreshed'));
    else toast(say('problem.offline'));
  }));
}

/**
 * Shows the sign-in button, or the account's initial. Opens the menu, which has entries for everybody, for the owner of
 * the account, and for operators.
 *
 * @param {function(): Promise<void>} [finish] Finishes the user's pending actions before the session ends.
 */
export function showAccount(session, signIn, finish = async () => {}) {
  const menu = byId('account-menu');
  const show = () => {
    const { account } = session;
    const name = account ? `${account.firstName} ${account.lastName}`.trim() : '';
    byId('sign-in').hidden = account !== null;
    byId('account').classList.toggle('signed-in', account !== null);
    byId('account').setAttribute('aria-label', account ? say('account.of', { name }) : say('menu'));
    byId('account-initial').textContent = account ? initial(name) : '';
    byId('account-name').textContent = account?.firstName ?? '';
    byId('account-full-name').textContent = name;
    byId('account-email').textContent = account?.email ?? '';
    for (const one of menu.querySelectorAll('.member')) one.hidden = account === null;
    for (const one of menu.querySelectorAll('.operator')) one.hidden = !account?.operator;
  };
  session.addEventListener('change', show);
  show();
  // A browser without popovers shows the menu in the bar.
  menu.addEventListener('click', ({ target }) => { if (target.closest('a, button')) menu.hidePopover?.(); });
  byId('sign-in').addEventListener('click', () => signIn.open(session));
  byId('sign-out').addEventListener('click', () => busy(byId('sign-out'), async () => {
    try {
      await finish();
      await session.signOut();
      byId('sign-in').focus();
      toast(say('signed-out'));
    } catch (error) {
      if (!(error instanceof Cancelled)) toast(phrase('sign-out.failed', { reason: explain(error) }));
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
