import { count, duration, rate } from '../common/quantity.js';
import { element } from '../common/element.js';
import { say } from '../common/language.js';

/** The workers that are there, with what they have. */
export function workerTable() {
  return new PeerTable('admin.workers', 'admin.workers.none', [
    ['column.name', (worker) => worker.name],
    ['admin.credit', (worker) => count(worker.credit)], ['admin.leases', (worker) => count(worker.leases)],
    ['admin.answered', (worker) => rate(worker.answered.perSecond)],
    ['admin.jobs', (worker) => count(worker.jobsSent)], ['admin.failures', (worker) => count(worker.failed)],
    ['admin.heard', (worker) => duration(worker.heardMs)],
  ]);
}

/** The feeds that ask for changes, with how far they are. */
export function feedTable() {
  return new PeerTable('admin.feeds', 'admin.feeds.none', [
    ['column.name', (feed) => feed.name], ['admin.seq', (feed) => count(feed.seq)],
    ['admin.subscribers', (feed) => (feed.subscribers === undefined ? '–' : count(feed.subscribers))],
    ['admin.heard', (feed) => duration(feed.heardMs)],
  ]);
}

class PeerTable {
  #columns;
  #body = element('tbody');
  #none;

  constructor(title, none, columns) {
    this.#columns = columns;
    this.#none = element('p.empty', {}, say(none));
    const heads = columns.map(([text]) => element('th', { scope: 'col' }, say(text)));
    this.root = element('section.peers', {}, element('h2', {}, say(title)), this.#none,
      element('div.wide', { tabindex: '0', role: 'region', 'aria-label': say(title) },
        element('table', {}, element('thead', {}, element('tr', {}, ...heads)), this.#body)));
  }

  show(peers) {
    this.#none.hidden = peers.length > 0;
    this.#body.replaceChildren(...peers.map((peer) => element('tr', {}, ...this.#columns.map(([, value], index) =>
      (index === 0 ? element('th', { scope: 'row' }, value(peer)) : element('td', {}, value(peer)))))));
  }
}
