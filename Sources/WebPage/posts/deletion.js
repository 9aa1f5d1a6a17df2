import { Cancelled, explain, request } from '../common/api.js';
import { say } from '../common/language.js';
import { toast } from '../common/toast.js';
import { isDeleted } from './own-posts.js';

const undoMs = 6_000;

/**
 * Deletes a post 6 s after the user asks for it. Until then, the post is hidden and the user can undo the deletion.
 * Leaving the page or signing out sends the pending requests.
 */
export class Deletion {
  #session;
  #latest;
  #onChange;
  /** Posts that the user can still restore, by id. */
  #pending = new Map();
  /** Posts whose request has been sent. Only a failure removes an id. */
  #sent = new Set();

  /** @param {function} onChange Called when a post is hidden or restored. */
  constructor(session, latest, onChange) {
    [this.#session, this.#latest, this.#onChange] = [session, latest, onChange];
    addEventListener('pagehide', () => {
      for (const id of [...this.#pending.keys()]) this.#send(id, request);
    });
  }

  /** Returns true for a post that is deleted or about to be deleted. No view shows such a post. */
  has(id) {
    return this.#pending.has(id) || this.#sent.has(id);
  }

  begin(post) {
    this.#latest.hide(post.id);
    const timer = setTimeout(() => this.#sendAsUser(post.id), undoMs);
    const close = toast(
      say('deleted', { place: post.place }), { label: say('undo'), run: () => this.#undo(post.id) }, undoMs);
    this.#pending.set(post.id, { timer, close });
    this.#onChange();
  }

  /** Sends the pending requests. Resolves when the server has responded to all of them. */
  async finish() {
    await Promise.all([...this.#pending.keys()].map((id) => this.#sendAsUser(id)));
  }

  #undo(id) {
    clearTimeout(this.#pending.get(id)?.timer);
    this.#pending.delete(id);
    this.#show(id);
  }

  #show(id) {
    this.#latest.hide(id, false);
    this.#onChange();
  }

  #sendAsUser(id) {
    return this.#send(id, (...parameters) => this.#session.request(...parameters));
  }

  async #send(id, perform) {
    const { timer, close } = this.#pending.get(id);
    clearTimeout(timer);
    close();
    this.#pending.delete(id);
    this.#sent.add(id);
    try {
      // With `keepalive`, the request ends even if the page closes.
      await perform('DELETE', `/v2/posts/${id}`, { keepalive: true });
    } catch (error) {
      // Another tab has already deleted the post.
      if (isDeleted(error)) return;
      this.#sent.delete(id);
      this.#show(id);
      const reason = error instanceof Cancelled ? say('problem.session_required') : explain(error);
      toast(say('delete.failed', { reason }));
    }
  }
}
