import { bytes, count, duration, rate } from '../common/quantity.js';
import { element } from '../common/element.js';
import { say } from '../common/language.js';

const figures = [
  ['admin.depth', (status) => count(status.depth)],
  ['admin.oldest', (status) => duration(oldestMs(status))],
  ['admin.accepted', (status) => rate(status.accepted.perSecond)],
  ['admin.completed', (status) => rate(status.completed.perSecond)],
  ['admin.failed', (status) => rate(status.failed.perSecond)],
  ['admin.workers', (status) => count(status.workers.length)],
  ['admin.dead', (status) => count(status.dead)],
  ['admin.disk', ({ disk }) => (disk.freeBytes === undefined ? '?' : bytes(disk.freeBytes))],
  ['admin.subscribers', (status) => count(status.feeds.reduce((sum, feed) => sum + (feed.subscribers ?? 0), 0))],
];

/** The queue's current figures. */
export class Figures {
  #places = figures.map(([text, value]) => ({ text, value, place: element('dd') }));

  root = element('dl.figures', {}, ...this.#places.map(({ text, place }) =>
    element('div', {}, element('dt', {}, say(text)), place)));

  show(status) {
    for (const { value, place } of this.#places) {
      const text = value(status);
      if (place.textContent !== text) place.textContent = text;
    }
  }
}

function oldestMs({ oldestAcceptedAt }) {
  return oldestAcceptedAt ? Math.max(0, Date.now() - Date.parse(oldestAcceptedAt)) : 0;
}
