import { ask, explain } from '../common/api.js';
import { say } from '../common/language.js';
import { toast } from '../common/toast.js';

const undoMs = 6_000;

/**
 * Deletes posts, a few seconds after it was asked for: until then it can be taken back, and the post is only hidden.
 * Whoever leaves the page before has meant it.
 */
export class Deletion {
  #session;
  #latest;
  #changed;
  #due = new Map();

  /** @param {function} changed called when a post is gone, or back */
  constructor(session, latest, changed) {
    [this.#session, this.#latest, this.#changed] = [session, latest, changed];
    addEventListener('pagehide', () => {
      for (const id of [...this.#due.keys()]) this.#run(id, true);
    });
  }

  /** Whether a post is to be deleted. */
  has(id) {
    return this.#due.has(id);
  }

  begin(post) {
    this.#latest.hide(post.id);
    const timer = setTimeout(() => this.#run(post.id), undoMs);
    const close = toast(
      say('deleted', { place: post.place }), { label: say('undo'), run: () => this.#undo(post.id) }, undoMs);
    this.#due.set(post.id, { timer, close });
    this.#changed();
  }

  #undo(id) {
    clearTimeout(this.#due.get(id)?.timer);
    this.#due.delete(id);
    this.#latest.hide(id, false);
    this.#changed();
  }

  async #run(id, isLast = false) {
    const { timer, close } = this.#due.get(id);
    clearTimeout(timer);
    close();
    try {
      const path = `/v2/posts/${id}`;
      if (isLast) await ask('DELETE', path, { keepalive: true });
      else await this.#session.ask('DELETE', path);
      this.#due.delete(id);
    } catch (error) {
      this.#undo(id);
      toast(say('deleted.not', { reason: explain(error) }));
    }
    this.#changed();
  }
}
