import { count, duration, rate } from '../common/quantity.js';
import { element } from '../common/element.js';
import { say } from '../common/language.js';

/** Returns a table of the connected workers and their figures. */
export function workerTable() {
  return new PeerTable('admin.workers', 'admin.workers.none', [
    ['column.name', (worker) => worker.name],
    ['admin.credit', (worker) => count(worker.credit)], ['admin.leases', (worker) => count(worker.leases)],
    ['admin.answered', (worker) => rate(worker.answered.perSecond)],
    ['admin.jobs', (worker) => count(worker.jobsSent)], ['admin.failures', (worker) => count(worker.failed)],
    ['admin.last-seen', (worker) => ago(worker.lastSeenAgoMs)],
  ]);
}

/** Returns a table of the feeds that receive changes, with their progress. */
export function feedTable() {
  return new PeerTable('admin.feeds', 'admin.feeds.none', [
    ['column.name', (feed) => feed.name], ['admin.seq', (feed) => count(feed.seq)],
    ['admin.subscribers', (feed) => (feed.subscribers === undefined ? '–' : count(feed.subscribers))],
    ['admin.last-seen', (feed) => ago(feed.lastSeenAgoMs)],
  ]);
}

function ago(ms) {
  return say('admin.ago', { time: duration(ms) });
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
