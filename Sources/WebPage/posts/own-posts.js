import { Problem, request, retryLater } from '../common/api.js';

const pageSize = 100;

/**
 * The ids and the pages of the signed-in user's posts. Knows the newest ids from the start, and an older one after
 * `page` or `fetch`. Fires `change`.
 */
export class OwnPosts extends EventTarget {
  #session;
  #latest;
  /** The id of the account that `#ids` belong to. */
  #owner;
  #ids = new Set();
  /** The id of the last post that `fetch` has read, such as an old pin on the screen. */
  #fetched = null;
  #loadNumber = 0;
  #cancelRetry = () => {};

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

  /** Loads the ids of the user's newest posts. Replaces an earlier load and its retry. */
  async load() {
    const number = ++this.#loadNumber;
    this.#cancelRetry();
    const { account } = this.#session;
    if (account?.id !== this.#owner) {
      this.#owner = account?.id;
      this.#ids = new Set();
      // The post on the screen may belong to the new user.
      if (account !== null && this.#fetched !== null) this.fetch(this.#fetched).catch(() => {});
    }
    if (account !== null) {
      try {
        const { body } = await request('GET', `/v2/posts?order=newest&limit=${pageSize}`);
        if (number !== this.#loadNumber) return;
        for (const post of body.posts) this.#ids.add(post.id);
      } catch (error) {
        if (number !== this.#loadNumber) return;
        // After the end of the session, only a sign-in helps. It changes the session, and thus loads the ids.
        if (error.status !== 401) this.#cancelRetry = retryLater(error, () => this.load());
      }
    }
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
    this.#fetched = id;
    const owner = this.#owner;
    try {
      const { body } = await request('GET', `/v2/posts/${id}`);
      if (body.own && owner === this.#owner && !this.has(id)) this.add(id);
      return body;
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
