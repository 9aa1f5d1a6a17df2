/** The user's input for a pin until it is on the map. It survives failures and a closed dialog. */
export class Draft {
  /** The edited post. Null for a new one. */
  post;
  /** The place's text as typed. */
  place = '';
  link = '';
  /** Places that the text may mean, best first. */
  candidates = [];
  chosen = 0;
  /** The pin's point if the user or the device set it. Null selects the place's own point. */
  point = null;
  /** The id of the post to replace. Null adds a post. */
  replaced = null;
  /** The text with which the candidates were found. */
  found = null;
  #key = { content: '', text: '' };

  constructor(post = null) {
    this.post = post;
    if (post === null) return;
    [this.place, this.link] = [post.place, post.link];
    // The post's point was given, not looked up.
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

  /** The body of the request. */
  get body() {
    // The text itself stands for the first candidate. Any other needs its full name and its point.
    const isFirst = this.chosen === 0;
    const point = this.point ?? (isFirst ? null : this.candidate);
    return {
      place: isFirst ? this.place.trim() : this.candidate.label, link: this.link.trim(),
      ...(point && { latitude: rounded(point.latitude), longitude: rounded(point.longitude) }),
    };
  }

  /** The idempotency key: equal for equal content, so that a resent request makes one post. */
  get key() {
    const content = JSON.stringify(this.body);
    if (this.#key.content !== content) {
      const bytes = crypto.getRandomValues(new Uint8Array(16));
      this.#key = { content, text: Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('') };
    }
    return this.#key.text;
  }
}

/** Rounds degrees to about a metre. */
function rounded(degrees) {
  return Math.round(degrees * 1e5) / 1e5;
}
