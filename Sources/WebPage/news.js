import { announce } from './common/announce.js';
import { say } from './common/language.js';

const pauseMs = 10_000;

/** Announces new posts to screen readers: the first one immediately, and later ones at most every ten seconds. */
export function announceNewPosts(latest) {
  let pending = new Set();
  let timer = null;
  const announcePending = () => {
    timer = null;
    const entries = [...pending].map((id) => latest.entry(id)).filter(Boolean);
    pending = new Set();
    if (!entries.length) return;
    const [{ name, place }] = entries;
    announce(entries.length === 1 ? say('news.one', { name, place }) : say('news.many', { n: entries.length }));
    timer = setTimeout(announcePending, pauseMs);
  };
  latest.addEventListener('change', ({ detail }) => {
    for (const id of detail.changed) pending.add(id);
    if (timer === null && pending.size) announcePending();
  });
}
