import { ask, Cancelled, explain } from '../common/api.js';
import { say } from '../common/language.js';
import { toast } from '../common/toast.js';
import { isGone } from './own-posts.js';

const undoMs = 6_000;

/**
 * Deletes posts a few seconds after the user asks for it. Until then the user can undo it, and the post is hidden.
 * Leaving the page or signing out sends the pending requests.
 */
export class Deletion {
  #session;
  #latest;
  #changed;
  /** Posts that the user can still restore, by id. */
  #due = new Map();
  /** Posts whose request has been sent. Only a failure removes an id. */
  #sent = new Set();

  /** @param {function} changed Called when a post is hidden or restored. */
  constructor(session, latest, changed) {
    [this.#session, this.#latest, this.#changed] = [session, latest, changed];
    addEventListener('pagehide', () => {
      for (const id of [...this.#due.keys()]) this.#send(id, ask);
    });
  }

  /** Returns true for a post that is deleted or about to be. No view shows it. */
  has(id) {
    return this.#due.has(id) || this.#sent.has(id);
  }

  begin(post) {
    this.#latest.hide(post.id);
    const timer = setTimeout(() => this.#sendAsPerson(post.id), undoMs);
    const close = toast(
      say('deleted', { place: post.place }), { label: say('undo'), run: () => this.#undo(post.id) }, undoMs);
    this.#due.set(post.id, { timer, close });
    this.#changed();
  }

  /** Sends the pending requests. Resolves when the server has answered all. */
  async finish() {
    await Promise.all([...this.#due.keys()].map((id) => this.#sendAsPerson(id)));
  }

  #undo(id) {
    clearTimeout(this.#due.get(id)?.timer);
    this.#due.delete(id);
    this.#show(id);
  }

  #show(id) {
    this.#latest.hide(id, false);
    this.#changed();
  }

  #sendAsPerson(id) {
    return this.#send(id, (...request) => this.#session.ask(...request));
  }

  async #send(id, request) {
    const { timer, close } = this.#due.get(id);
    clearTimeout(timer);
    close();
    this.#due.delete(id);
    this.#sent.add(id);
    try {
      // The request survives the page.
      await request('DELETE', `/v2/posts/${id}`, { keepalive: true });
    } catch (error) {
      // Another tab has already deleted the post.
      if (isGone(error)) return;
      this.#sent.delete(id);
      this.#show(id);
      const reason = error instanceof Cancelled ? say('problem.session_required') : explain(error);
      toast(say('delete.failed', { reason }));
    }
  }
}
