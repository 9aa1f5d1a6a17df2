import { count, rate } from '../common/quantity.js';
import { element } from '../common/element.js';
import { ago, say } from '../common/language.js';
import { BoardTable } from './board-table.js';

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

class PeerTable {
  #columns;
  #table;
  #none;

  constructor(title, none, columns) {
    this.#columns = columns;
    this.#none = element('p.empty', {}, say(none));
    this.#table = new BoardTable(say(title), columns.map(([text]) => say(text)));
    this.root = element('section.peers', {}, element('h2', {}, say(title)), this.#none, this.#table.root);
  }

  show(peers) {
    this.#none.hidden = peers.length > 0;
    this.#table.root.hidden = peers.length === 0;
    this.#table.show(peers.map((peer) => ({ values: this.#columns.map(([, value]) => value(peer)) })));
  }
}
