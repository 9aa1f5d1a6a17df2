import { announce } from './common/announce.js';
import { say } from './common/language.js';

const pauseMs = 10_000;

/** Announces new posts to screen readers: the first one immediately, and later ones at most every ten seconds. */
export function tellNews(latest) {
  let waiting = new Set();
  let timer = null;
  const tell = () => {
    timer = null;
    const entries = [...waiting].map((id) => latest.entry(id)).filter(Boolean);
    waiting = new Set();
    if (!entries.length) return;
    const [{ name, place }] = entries;
    announce(entries.length === 1 ? say('news.one', { name, place }) : say('news.many', { n: entries.length }));
    timer = setTimeout(tell, pauseMs);
  };
  latest.addEventListener('change', ({ detail }) => {
    for (const id of detail.news) waiting.add(id);
    if (timer === null && waiting.size) tell();
  });
}
