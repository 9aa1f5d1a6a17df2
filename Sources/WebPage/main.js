import { OwnPosts } from './posts/own-posts.js';
import { AddPin } from './adding/add-pin.js';
import { Connection } from './latest/connection.js';
import { Deletion } from './posts/deletion.js';
import { Address, pinPath } from './address.js';
import { KeptList, keptSetting } from './latest/kept-list.js';
import { Latest } from './latest/latest.js';
import { MapView } from './map/map-view.js';
import { PinList } from './list/pin-list.js';
import { PinView } from './pin-view.js';
import { popupContent } from './map/popup.js';
import { PostsView } from './posts/posts-view.js';
import { share, shareLabel } from './share.js';
import { AccountView } from './account/account-view.js';
import { openMailLink, takeMailLink } from './account/mail-link.js';
import { Session } from './account/session.js';
import { Sheet } from './list/sheet.js';
import { SignIn } from './account/sign-in.js';
import { TableView } from './table/table-view.js';
import { Tabs } from './tabs.js';
import { request } from './common/api.js';
import { byId } from './common/element.js';
import { offerEntry, offerLanguages, offerRefresh, showAccount, showConnection, showPause } from './bar.js';
import { followUpdates, install } from './installation.js';
import { Status } from './status.js';
import { say } from './common/language.js';
import { announceNewPosts } from './news.js';
import { welcome } from './first-visit.js';
import { toast } from './common/toast.js';

const arrivalMs = 5_000;

const mailLink = takeMailLink();
followUpdates();
offerLanguages();
const status = new Status();
showConnection(status);
showPause(status);
start(await status.setting(keptSetting));

/**
 * @param {Object} setting The body of GET /v2/page: the page's configuration and the signed-in account. Without a
 *   connection it is the setting of the last start, with the list of that time as `kept`.
 */
function start(setting) {
  const { account, login, mapAccess, feed, tiles, kept } = setting;
  const isPublic = mapAccess === 'public';
  const latest = new Latest();
  const ticket = async () => (isPublic ? null : (await request('GET', '/v2/page')).body.ticket);
  const connection = new Connection(latest, feed, ticket);
  const keptList = new KeptList(latest, status, setting);
  const signIn = new SignIn(login);
  const session = new Session(account, (reason) => signIn.open(session, reason));
  const own = new OwnPosts(session, latest);
  const isOwn = (id) => own.has(id);
  const address = new Address();
  const tabs = new Tabs(address);
  const sheet = new Sheet(byId('list'), byId('list-handle'));
  const showOnMap = (id) => address.go(pinPath(id));
  const map = new MapView(byId('map'), latest, tiles, isOwn, (entry) => popupContent(entry, {
    isOwn: isOwn(entry.id), isOlder: latest.isOlder(entry), edit: () => addPin.open(entry), drop: () => drop(entry) }));
  const actions = { isOwn, show: showOnMap, add };
  const table = new TableView(byId('view-table'), latest, actions);
  const list = new PinList({ title: byId('list-title'), body: byId('list-body') }, latest, actions);
  const deletion = new Deletion(session, latest, (restored) => posts.redraw(restored));
  new PinView(address, map, latest, own, (id) => deletion.has(id));
  const addPin = new AddPin(session, own, tiles, arrive);
  const posts = new PostsView(byId('view-posts'), own, session, {
    drop: deletion, edit: (post) => addPin.open(post), add, signIn: () => signIn.open(session) });
  const settings = new AccountView(byId('view-account'), session, { signIn, login, own, deleted: () => {
    address.go('/');
    byId('sign-in').focus();
    toast(say('account.deleted'));
  } });

  /**
   * Shows the new or edited pin on the map when the list contains the post, and a text with a key. Shows only a message
   * for a queued post.
   */
  async function arrive(post, text) {
    own.add(post.id);
    if (tabs.shown === 'posts') posts.show();
    if (post.state !== 'published') {
      toast(say('adding.queued', { place: post.place }));
      return;
    }
    toast(say(text, { place: post.place }), {
      label: shareLabel(), run: () => share(pinPath(post.id), post.place) });
    const isThere = () => latest.entry(post.id)?.seq >= post.seq;
    if (!isThere() && connection.state !== 'live') await connection.refresh();
    if (!isThere()) await untilChange(latest, isThere);
    // An edit from the pin's popup does not change the address, but perhaps the place.
    if (address.id === post.id) map.open(post.id);
    else showOnMap(post.id);
  }

  /** Deletes a post from its popup. */
  async function drop(post) {
    await address.closePin();
    deletion.begin(post);
  }

  /** Gives the table the search of the address, and the address and the table's tab the search of the table. */
  const search = () => {
    if (tabs.shown !== 'table') return;
    table.query = address.query;
    byId('tab-table').href = `/table${table.query}`;
  };
  table.addEventListener('search', () => {
    address.replaceSoon(`/table${table.query}`);
    byId('tab-table').href = `/table${table.query}`;
  });
  address.addEventListener('change', search);
  // A link in the list leads to a pin, which the list would cover.
  address.addEventListener('change', () => { if (address.id !== undefined) sheet.height = 'peek'; });
  search();

  tabs.addEventListener('change', () => {
    if (tabs.shown === 'map') {
      sheet.height = 'peek';
      map.resize();
    }
    if (tabs.shown === 'posts') posts.show();
    if (tabs.shown === 'account') settings.show();
  });
  own.addEventListener('change', () => {
    map.redraw();
    table.redraw();
    list.redraw();
    showOwn();
  });
  session.addEventListener('change', () => {
    if (tabs.shown === 'posts') posts.show();
    if (session.account === null) keptList.forget();
    if (isPublic) return;
    if (session.account === null) connection.shut();
    else if (connection.state === 'members-only') connection.start();
  });
  latest.addEventListener('change', ({ detail }) => {
    showOwn();
    if (tabs.shown === 'posts') posts.follow([...detail.changed, ...detail.removed]);
  });
  byId('own').addEventListener('click', () => showOnMap(own.newest.id));
  byId('add').addEventListener('click', add);
  map.addEventListener('pick', ({ detail }) => addAt(detail));
  list.addEventListener('hover', ({ detail }) => map.light(detail));
  map.addEventListener('hover', ({ detail }) => list.light(detail));
  sheet.addEventListener('change', () => map.resize());

  /** Begins to add a pin. */
  function add() {
    addAt(null);
  }

  /** Begins to add a pin at a point of the map. Null begins with the question for the place. */
  async function addAt(point) {
    if (session.account !== null || await signIn.open(session, 'sign-in.needed')) addPin.open(null, { point });
  }

  function showOwn() {
    byId('own').hidden = own.newest === undefined;
  }

  // The markup disables these buttons until their listeners exist. An earlier press would be lost.
  for (const button of document.querySelectorAll('.bar button')) button.disabled = false;
  status.follow(connection);
  install(status);
  offerEntry(connection, () => signIn.open(session));
  // A members-only map has no list for strangers.
  connection.addEventListener('change', () => map.resize());
  offerRefresh(connection);
  showAccount(session, signIn, () => deletion.finish());
  announceNewPosts(latest, isOwn, () => addPin.saving);
  welcome(byId('welcome'), latest, own, add);
  own.load();
  deletion.resume();
  if (kept) {
    if (latest.replace(kept.list)) status.keep(kept.savedMs);
    status.addEventListener('setting', ({ detail }) => {
      if (detail.mapAccess === mapAccess) {
        session.restore(detail.account);
        addPin.resume();
        return;
      }
      // The operator has closed the map since the last start.
      keptList.forget();
      location.reload();
    }, { once: true });
  }
  if (isPublic || account !== null) connection.start();
  else connection.shut();
  if (tabs.shown === 'posts') posts.show();
  if (tabs.shown === 'account') settings.show();
  if (mailLink) openMailLink(mailLink, session, signIn);
  signIn.resume(session).then(() => addPin.resume());
}

/** Resolves when the list meets a condition, or after a timeout. */
function untilChange(latest, isThere) {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      latest.removeEventListener('change', check);
      resolve();
    };
    const check = () => { if (isThere()) end(); };
    const timer = setTimeout(end, arrivalMs);
    latest.addEventListener('change', check);
  });
}
