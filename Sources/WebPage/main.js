import { OwnPosts } from './posts/own-posts.js';
import { AddPin } from './adding/add-pin.js';
import { Connection } from './latest/connection.js';
import { Deletion } from './posts/deletion.js';
import { Latest } from './latest/latest.js';
import { MapView } from './map/map-view.js';
import { PostsView } from './posts/posts-view.js';
import { Session } from './account/session.js';
import { SignIn } from './account/sign-in.js';
import { TableView } from './table/table-view.js';
import { Tabs } from './tabs.js';
import { explain, request } from './common/api.js';
import { byId } from './common/element.js';
import { offerEntry, offerLanguages, offerRefresh, showAccount, showConnection } from './bar.js';
import { say, translate } from './common/language.js';
import { announceNewPosts } from './news.js';
import { toast } from './common/toast.js';

const arrivalMs = 5_000;

translate();
offerLanguages();
try {
  const { body } = await request('GET', '/v2/page');
  start(body);
} catch (error) {
  byId('connection').dataset.state = 'offline';
  byId('connection').firstElementChild.textContent = explain(error);
}

/** @param {Object} setting The body of GET /v2/page: the page's configuration and the signed-in account. */
function start({ account, login, mapAccess, feed, tiles }) {
  const isPublic = mapAccess === 'public';
  const latest = new Latest();
  const ticket = async () => (isPublic ? null : (await request('GET', '/v2/page')).body.ticket);
  const connection = new Connection(latest, feed, ticket);
  const signIn = new SignIn(login);
  const session = new Session(account, (reason) => signIn.open(session, reason));
  const own = new OwnPosts(session, latest);
  const isOwn = (id) => own.has(id);
  const tabs = new Tabs(['map', 'table', 'posts']);
  const map = new MapView(byId('map'), latest, tiles, isOwn);

  /** Moves the map to a post's pin, or to the post's coordinates if it is no longer among the latest posts. */
  const showOnMap = ({ id, latitude, longitude }) => {
    tabs.show('map');
    if (map.open(id)) return;
    map.flyTo(latitude, longitude);
    toast(say('pin.older'));
  };
  const table = new TableView(byId('view-table'), latest, isOwn, (id) => showOnMap(latest.entry(id)));
  const deletion = new Deletion(session, latest, () => posts.redraw());
  const addPin = new AddPin(session, own, tiles, (post, { isEdit }) => arrive(post, isEdit));
  const posts = new PostsView(byId('view-posts'), own, session, {
    drop: deletion, showOnMap, edit: (post) => addPin.open(post) });

  /** Shows the new or edited pin on the map when the list contains the post. Shows only a message for a queued post. */
  async function arrive(post, isEdit) {
    own.add(post.id);
    if (tabs.shown === 'posts') posts.show();
    if (post.state !== 'published') {
      toast(say('adding.queued', { place: post.place }));
      return;
    }
    toast(say(isEdit ? 'adding.saved' : 'adding.done', { place: post.label || post.place }));
    const isThere = () => latest.entry(post.id)?.seq >= post.seq;
    if (!isThere() && connection.state !== 'live') await connection.refresh();
    if (!isThere()) await untilChange(latest, isThere);
    showOnMap(post);
  }

  tabs.addEventListener('change', () => {
    if (tabs.shown === 'map') map.resize();
    if (tabs.shown === 'posts') posts.show();
  });
  own.addEventListener('change', () => {
    map.redraw();
    table.redraw();
    showOwn();
  });
  session.addEventListener('change', () => {
    if (tabs.shown === 'posts') posts.show();
    if (isPublic) return;
    if (session.account === null) connection.shut();
    else if (connection.state === 'members-only') connection.start();
  });
  latest.addEventListener('change', ({ detail }) => {
    showOwn();
    if (tabs.shown === 'posts') posts.follow([...detail.changed, ...detail.removed]);
  });
  byId('own').addEventListener('click', () => showOnMap(own.newest));
  byId('add').addEventListener('click', async () => {
    if (session.account !== null || await signIn.open(session, 'sign-in.needed')) addPin.open();
  });

  function showOwn() {
    byId('own').hidden = own.newest === undefined;
  }

  // The markup disables these buttons until their listeners exist. An earlier press would be lost.
  for (const button of document.querySelectorAll('.bar button')) button.disabled = false;
  showConnection(connection);
  offerEntry(connection, () => signIn.open(session));
  offerRefresh(connection);
  showAccount(session, signIn, () => deletion.finish());
  announceNewPosts(latest);
  own.load();
  if (isPublic || account !== null) connection.start();
  else connection.shut();
  if (tabs.shown === 'posts') posts.show();
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
