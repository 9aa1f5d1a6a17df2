/** The user's input for a pin. A draft survives failed requests and a closed dialog. */
export class Draft {
  /** The post to edit. Null for a new post. */
  post;
  /** The place's text as typed. */
  place = '';
  link = '';
  /** Places that the text may mean, best first. */
  candidates = [];
  chosen = 0;
  /** The pin's point if the user or the device set it. Null stands for the point of the chosen candidate. */
  point = null;
  /** The id of the post to replace. Null adds a post. */
  replaced = null;
  /** The text of the search that found the candidates. Null before a search. */
  found = null;
  #key = { content: '', text: '' };

  constructor(post = null) {
    this.post = post;
    if (post === null) return;
    [this.place, this.link] = [post.place, post.link];
    // With these agreements, the post has the user's point, not the place's.
    if (['verified', 'unverified', 'mismatch'].includes(post.agreement)) {
      this.point = { latitude: post.latitude, longitude: post.longitude };
    }
  }

  /** Restores a draft from JSON. */
  static from({ key, ...fields }) {
    const draft = Object.assign(new Draft(), fields);
    draft.#key = key;
    return draft;
  }

  toJSON() { return { ...this, key: this.#key }; }

  /** True if the user has typed nothing. */
  get isEmpty() { return !this.place && !this.link; }

  get candidate() { return this.candidates[this.chosen]; }

  /** The pin's position. */
  get position() { return this.point ?? this.candidate; }

  /** The body of the request that saves the post. */
  get body() {
    // The server finds the first candidate by the text. Any other candidate needs its full name and its point.
    const isFirst = this.chosen === 0;
    const point = this.point ?? (isFirst ? null : this.candidate);
    return {
      place: isFirst ? this.place.trim() : this.candidate.label, link: this.link.trim(),
      ...(point && { latitude: rounded(point.latitude), longitude: rounded(point.longitude) }),
    };
  }

  /** The idempotency key of the body. Equal bodies have the same key, so a resent request creates no second post. */
  get key() {
    const content = JSON.stringify(this.body);
    if (this.#key.content !== content) {
      const bytes = crypto.getRandomValues(new Uint8Array(16));
      this.#key = { content, text: Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('') };
    }
    return this.#key.text;
  }
}

/** Rounds degrees to 5 decimals, which is about one metre. */
function rounded(degrees) {
  return Math.round(degrees * 1e5) / 1e5;
}
