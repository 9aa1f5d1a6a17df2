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
  /** The timers of deletions that an earlier page has left, by the post's id. */
  #kept = new Map();
  /** Requests that have been sent, by the post's id. Only a failure removes one. */
  #sent = new Map();

  /**
   * @param {function(string=)} onChange Called when a post is hidden or restored. The parameter is the id of a post
   *   that the user has restored.
   */
  constructor(session, latest, onChange) {
    [this.#session, this.#latest, this.#onChange] = [session, latest, onChange];
    session.addEventListener('change', () => this.resume());
    addEventListener('pagehide', () => {
      for (const id of [...this.#pending.keys()]) this.#send(id, request);
      for (const sending of this.#sent.values()) sending.isLeft = true;
    });
  }

  /** Returns true for a post that is deleted or about to be deleted. No view shows such a post. */
  has(id) {
    return [this.#pending, this.#kept, this.#sent].some((posts) => posts.has(id));
  }

  /** Hides a post and offers to undo that. A second press of the button has no effect. */
  begin(post) {
    const { id, place } = post;
    if (this.has(id)) return;
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
      this.#kept.set(id, setTimeout(() => this.#sendKept(id), Math.min(undoMs, dueMs - Date.now())));
      this.#hide(id);
    }
  }

  /** Sends all requests that wait. Resolves when the server has responded to all of them. */
  async finish() {
    const pending = [...this.#pending.keys()].map((id) => this.#sendAsUser(id));
    const kept = [...this.#kept.keys()].map((id) => this.#sendKept(id));
    await Promise.all([...pending, ...kept]);
  }

  /** Sends a deletion that an earlier page has left, unless another page has undone it. */
  async #sendKept(id) {
    clearTimeout(this.#kept.get(id));
    this.#kept.delete(id);
    if (keptDeletions(this.#session.account?.id).some((deletion) => deletion.id === id)) await this.#send(id, request);
    else this.#show(id);
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
    const sending = { isLeft: false };
    this.#sent.set(id, sending);
    try {
      // With `keepalive`, the request ends even if the page closes.
      await perform('DELETE', `/v2/posts/${id}`, { keepalive: true });
    } catch (error) {
      // The browser has cancelled the request. The next page sends it, or this one if the user returns to it.
      if (sending.isLeft && error instanceof Offline) {
        this.#show(id);
        this.resume();
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
