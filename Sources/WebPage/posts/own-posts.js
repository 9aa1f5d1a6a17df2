import { Problem, request } from '../common/api.js';

const pageSize = 100;

/** The ids and the pages of the signed-in user's posts. Fires `change`. */
export class OwnPosts extends EventTarget {
  #session;
  #latest;
  #ids = new Set();

  constructor(session, latest) {
    super();
    [this.#session, this.#latest] = [session, latest];
    session.addEventListener('change', () => this.load());
  }

  /** Returns true if a post belongs to the user. */
  has(id) {
    return this.#ids.has(id);
  }

  /** The user's newest post among the latest. Undefined if there is none. */
  get newest() {
    return this.#latest.entries.find((entry) => this.#ids.has(entry.id));
  }

  /** Loads the ids of the user's posts. */
  async load() {
    const account = this.#session.account;
    const ids = new Set();
    if (account !== null) {
      try {
        const { body } = await request('GET', `/v2/posts?order=newest&limit=${pageSize}`);
        for (const post of body.posts) ids.add(post.id);
      } catch {
        // The user's posts look like other posts until the next load.
      }
    }
    if (account !== this.#session.account) return;
    this.#ids = ids;
    this.dispatchEvent(new Event('change'));
  }

  /** Adds a new post of the user. */
  add(id) {
    this.#ids.add(id);
    this.dispatchEvent(new Event('change'));
  }

  /** Returns a page of the user's posts, newest first, and the cursor of the next page, which is null at the end. */
  async page(after = null) {
    const query = new URLSearchParams({ order: 'newest', limit: pageSize, ...(after && { after }) });
    const { body } = await this.#session.request('GET', `/v2/posts?${query}`);
    for (const post of body.posts) this.#ids.add(post.id);
    return { posts: body.posts, next: body.next ?? null };
  }

  /** Fetches the current state of a post. Resolves to null if it is deleted. */
  async fetch(id) {
    try {
      return (await request('GET', `/v2/posts/${id}`)).body;
    } catch (error) {
      if (isDeleted(error)) return null;
      throw error;
    }
  }
}

/** Returns true for the server's response that a post no longer exists. */
export function isDeleted(error) {
  return error instanceof Problem && ['post_deleted', 'post_not_found'].includes(error.code);
}
