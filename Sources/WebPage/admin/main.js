import { Board } from './board.js';
import { explain, request } from '../common/api.js';
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
import { offerLanguages, showAccount } from '../bar.js';
import { say, translate } from '../common/language.js';

translate();
offerLanguages();
document.title = `On The Map · ${say('admin.title')}`;
try {
  const { body } = await request('GET', '/v2/page');
  start(body);
} catch (error) {
  byId('connection').dataset.state = 'offline';
  byId('connection').firstElementChild.textContent = explain(error);
}

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
    const { state, status, samples } = board;
    byId('connection').dataset.state = state;
    byId('connection').firstElementChild.textContent = say(`connection.${state}`);
    byId('figures').hidden = status === null;
    byId('gate').hidden = state !== 'operators-only';
    byId('gate-reason').textContent =
      state === 'operators-only' ? say(session.account ? 'problem.operator_required' : 'admin.signed-out') : '';
    byId('pause').hidden = status === null;
    standing.show(status);
    if (status === null) return;
    figures.show(status);
    pause.show(status);
    workers.show(status.workers);
    feeds.show(status.feeds);
    dead.show(status);
    for (const plot of plots) plot.show(samples);
  });
  session.addEventListener('change', () => board.restart());
  showAccount(session, signIn);
  board.restart();
  signIn.resume(session);
}
