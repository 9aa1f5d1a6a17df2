import { announce } from './common/announce.js';
import { say } from './common/language.js';

const pauseMs = 10_000;

/**
 * Announces the new posts of other people to screen readers: the first one immediately, and later ones at most every
 * ten seconds.
 *
 * @param {function(string): boolean} isOwn Returns true for a post of the user, which has its own message.
 * @param {function(): Promise} saving Settles when the page knows the id of a post that the user saves now.
 */
export function announceNewPosts(latest, isOwn, saving) {
  let pending = new Set();
  let isBusy = false;
  const announcePending = async () => {
    isBusy = true;
    while (pending.size) {
      // The list may bring the post before the response with its id.
      await saving().catch(() => {});
      const entries = [...pending].filter((id) => !isOwn(id)).map((id) => latest.entry(id)).filter(Boolean);
      pending = new Set();
      if (!entries.length) continue;
      const [{ name, place }] = entries;
      announce(entries.length === 1 ? say('news.one', { name, place }) : say('news.many', { n: entries.length }));
      await new Promise((resolve) => { setTimeout(resolve, pauseMs); });
    }
    isBusy = false;
  };
  latest.addEventListener('change', ({ detail }) => {
    for (const id of detail.changed) pending.add(id);
    if (!isBusy) announcePending();
  });
}
