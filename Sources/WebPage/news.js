import { announce } from './common/announce.js';
import { say } from './common/language.js';

const pauseMs = 10_000;

/** Tells those who do not see the map who is new on it: at once, and then not more often than one can listen to. */
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
