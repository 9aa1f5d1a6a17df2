import { Board } from './board.js';
import { DeadPosts } from './dead-posts.js';
import { Figures } from './figures.js';
import { PauseButton } from './pause-button.js';
import { Plot } from './plot.js';
import { Session } from '../account/session.js';
import { SignIn } from '../account/sign-in.js';
import { Standing } from './standing.js';
import { byId, element } from '../common/element.js';
import { count, duration, rate } from '../common/quantity.js';
import { feedTable, workerTable } from './peers.js';
import { followUpdates } from '../installation.js';
import { offerLanguages, showAccount, showConnection } from '../bar.js';
import { say } from '../common/language.js';
import { Status } from '../status.js';

followUpdates();
offerLanguages();
const state = new Status();
showConnection(state);
start(await state.setting());

/** @param {Object} setting The body of GET /v2/page: the page's configuration and the signed-in account. */
function start({ account, login }) {
  const signIn = new SignIn(login);
  const session = new Session(account, (reason) => signIn.open(session, reason));
  const board = new Board(session);
  const plots = [
    new Plot(say('admin.depth'), [{ key: 'depth', text: 'admin.depth' }], count),
    new Plot(say('admin.oldest'), [{ key: 'oldestMs', text: 'admin.oldest' }], duration),
    new Plot(say('admin.rates'), [
      { key: 'accepted', text: 'admin.accepted' }, { key: 'completed', text: 'admin.completed' },
      { key: 'failed', text: 'admin.failed' }], rate),
    new Plot(say('admin.subscribers'), [{ key: 'subscribers', text: 'admin.subscribers' }], count),
  ];
  const figures = new Figures();
  const [workers, feeds] = [workerTable(), feedTable()];
  const dead = new DeadPosts(board);
  const pause = new PauseButton(byId('pause'), board);
  const standing = new Standing(byId('standing'));
  byId('figures').append(
    figures.root, element('div.plots', {}, ...plots.map((plot) => plot.root)), dead.root, workers.root, feeds.root);

  board.addEventListener('change', () => {
    const { status, samples } = board;
    const isShut = board.state === 'operators-only';
    byId('figures').hidden = status === null;
    byId('gate').hidden = !isShut;
    byId('gate-reason').textContent =
      isShut ? say(session.account ? 'problem.operator_required' : 'admin.signed-out') : '';
    byId('gate-sign-in').hidden = session.account !== null;
    byId('pause').hidden = status === null;
    standing.show(status);
    if (status === null) return;
    state.pause(status.pausedAt ?? null);
    figures.show(status);
    pause.show(status);
    workers.show(status.workers);
    feeds.show(status.feeds);
    dead.show(status);
    for (const plot of plots) plot.show(samples);
  });
  state.follow(board);
  byId('gate-sign-in').addEventListener('click', () => signIn.open(session));
  session.addEventListener('change', () => board.restart());
  showAccount(session, signIn);
  board.restart();
  signIn.resume(session);
}
