import { ask, Problem } from '../common/api.js';

const page = 100;

/** The posts of whoever is signed in: which of the latest are his, and all of them, newest first. Tells `change`. */
export class OwnPosts extends EventTarget {
  #session;
  #latest;
  #ids = new Set();

  constructor(session, latest) {
    super();
    [this.#session, this.#latest] = [session, latest];
    session.addEventListener('change', () => this.learn());
  }

  /** Whether a post is his. */
  has(id) {
    return this.#ids.has(id);
  }

  /** The newest of his that is on the map among the latest; undefined where there is none. */
  get newest() {
    return this.#latest.entries.find((entry) => this.#ids.has(entry.id));
  }

  /** Asks which are his. */
  async learn() {
    const account = this.#session.account;
    const ids = new Set();
    if (account !== null) {
      try {
        const { body } = await ask('GET', `/v2/posts?order=newest&limit=${page}`);
        for (const post of body.posts) ids.add(post.id);
      } catch {
        // They look like others' until the next time.
      }
    }
    if (account !== this.#session.account) return;
    this.#ids = ids;
    this.dispatchEvent(new Event('change'));
  }

  /** One more is his, as it has just been answered. */
  add(id) {
    this.#ids.add(id);
    this.dispatchEvent(new Event('change'));
  }

  /** A page of them, newest first, and what the next page is asked with; null at the end. */
  async page(after = null) {
    const query = new URLSearchParams({ order: 'newest', limit: page, ...(after && { after }) });
    const { body } = await this.#session.ask('GET', `/v2/posts?${query}`);
    for (const post of body.posts) this.#ids.add(post.id);
    return { posts: body.posts, next: body.next ?? null };
  }

  /** Fetches one of the posts as it is on the server now; null if it is deleted. */
  async one(id) {
    try {
      return (await ask('GET', `/v2/posts/${id}`)).body;
    } catch (error) {
      if (isGone(error)) return null;
      throw error;
    }
  }
}

/** True for the server's answer that a post does not exist any more. */
export function isGone(error) {
  return error instanceof Problem && ['post_deleted', 'post_not_found'].includes(error.code);
}
