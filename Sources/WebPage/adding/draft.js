/** What somebody has typed and chosen for a pin, until it is on the map: it outlives failures and a closed dialog. */
export class Draft {
  /** The post that is edited; null for a new one. */
  post;
  /** As typed. */
  place = '';
  link = '';
  /** Places that the text may mean, best first. */
  candidates = [];
  chosen = 0;
  /** Where the pin was put by hand or by the device; null where the place's own point will do. */
  point = null;
  /** The post that it takes the place of; null for one more. */
  replaced = null;
  /** The text that the candidates were found by. */
  found = null;
  #key = { content: '', text: '' };

  constructor(post = null) {
    this.post = post;
    if (post === null) return;
    [this.place, this.link] = [post.place, post.link];
    // Where it stands was not looked up but given.
    if (['verified', 'unverified', 'mismatch'].includes(post.agreement)) {
      this.point = { latitude: post.latitude, longitude: post.longitude };
    }
  }

  /** One that was kept as JSON. */
  static from({ key, ...fields }) {
    const draft = Object.assign(new Draft(), fields);
    draft.#key = key;
    return draft;
  }

  toJSON() { return { ...this, key: this.#key }; }

  /** Whether nothing has been typed. */
  get isEmpty() { return !this.place && !this.link; }

  get candidate() { return this.candidates[this.chosen]; }

  /** Where the pin stands. */
  get position() { return this.point ?? this.candidate; }

  /** What the server is sent. */
  get body() {
    // The text itself means the first one; any other is meant by its own full name, and by its point.
    const isFirst = this.chosen === 0;
    const point = this.point ?? (isFirst ? null : this.candidate);
    return {
      place: isFirst ? this.place.trim() : this.candidate.label, link: this.link.trim(),
      ...(point && { latitude: rounded(point.latitude), longitude: rounded(point.longitude) }),
    };
  }

  /** The same for the same content, so that what is sent twice is one post; another for another. */
  get key() {
    const content = JSON.stringify(this.body);
    if (this.#key.content !== content) {
      const bytes = crypto.getRandomValues(new Uint8Array(16));
      this.#key = { content, text: Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('') };
    }
    return this.#key.text;
  }
}

/** About a metre. */
function rounded(degrees) {
  return Math.round(degrees * 1e5) / 1e5;
}
