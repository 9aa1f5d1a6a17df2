import { Cancelled, explain, Offline, request } from '../common/api.js';
import { phrase } from '../common/phrase.js';
import { say } from '../common/language.js';
import { toast } from '../common/toast.js';
import { forgetDeletion, keepDeletion, keptDeletions } from './kept-deletions.js';
import { isDeleted } from './own-posts.js';

const undoMs = 6_000;

/**
 * Deletes a post 6 s after the user asks for it. Until then, the post is hidden and the user can undo the deletion.
 * Leaving the page or signing out sends the pending requests. The next page sends those that the server has not
 * answered.
 */
export class Deletion {
  #session;
  #latest;
  #onChange;
  /** Posts that the user can still restore, by id. */
  #pending = new Map();
  /** Posts whose request has been sent, or waits for the undo time of another page. Only a failure removes an id. */
  #sent = new Set();
  #isLeaving = false;

  /**
   * @param {function(string=)} onChange Called when a post is hidden or restored. The parameter is the id of a post
   *   that the user has restored.
   */
  constructor(session, latest, onChange) {
    [this.#session, this.#latest, this.#onChange] = [session, latest, onChange];
    session.addEventListener('change', () => this.resume());
    addEventListener('pagehide', () => {
      this.#isLeaving = true;
      for (const id of [...this.#pending.keys()]) this.#send(id, request);
    });
    addEventListener('pageshow', () => {
      this.#isLeaving = false;
      this.resume();
    });
  }

  /** Returns true for a post that is deleted or about to be deleted. No view shows such a post. */
  has(id) {
    return this.#pending.has(id) || this.#sent.has(id);
  }

  begin(post) {
    const { id, place } = post;
    keepDeletion({ account: this.#session.account.id, id, dueMs: Date.now() + undoMs });
    const timer = setTimeout(() => this.#sendAsUser(id), undoMs);
    const close = toast(say('deleted', { place }), { label: say('undo'), run: () => this.#undo(id) }, undoMs);
    this.#pending.set(id, { timer, close });
    this.#hide(id);
  }

  /** Sends the user's deletions that an earlier page has left. Another page may still undo them until they are due. */
  resume() {
    const { account } = this.#session;
    if (account === null) return;
    for (const { id, dueMs } of keptDeletions(account.id)) {
      if (this.has(id)) continue;
      this.#sent.add(id);
      this.#hide(id);
      setTimeout(() => {
        const isKept = keptDeletions(this.#session.account?.id).some((deletion) => deletion.id === id);
        if (isKept) this.#send(id, request);
        else this.#show(id);
      }, Math.min(undoMs, dueMs - Date.now()));
    }
  }

  /** Sends the pending requests. Resolves when the server has responded to all of them. */
  async finish() {
    await Promise.all([...this.#pending.keys()].map((id) => this.#sendAsUser(id)));
  }

  #undo(id) {
    clearTimeout(this.#pending.get(id)?.timer);
    this.#pending.delete(id);
    forgetDeletion(id);
    this.#show(id, id);
  }

  #hide(id) {
    this.#latest.hide(id);
    this.#onChange();
  }

  #show(id, restored) {
    this.#sent.delete(id);
    this.#latest.hide(id, false);
    this.#onChange(restored);
  }

  #sendAsUser(id) {
    return this.#send(id, (...parameters) => this.#session.request(...parameters));
  }

  async #send(id, perform) {
    const { timer, close } = this.#pending.get(id) ?? {};
    clearTimeout(timer);
    close?.();
    this.#pending.delete(id);
    this.#sent.add(id);
    try {
      // With `keepalive`, the request ends even if the page closes.
      await perform('DELETE', `/v2/posts/${id}`, { keepalive: true });
    } catch (error) {
      // The browser has cancelled the request. The next page sends it, or this one if the user returns to it.
      if (this.#isLeaving && error instanceof Offline) {
        this.#show(id);
        return;
      }
      // Another tab has already deleted the post.
      if (!isDeleted(error)) {
        this.#show(id);
        const reason = error instanceof Cancelled ? say('problem.session_required') : explain(error);
        toast(phrase('delete.failed', { reason }));
      }
    }
    forgetDeletion(id);
  }
}
