/** The user's input for a pin. A draft survives failed requests and a closed dialog. */
export class Draft {
  /** The post to edit. Null for a new post. */
  post;
  /** The place's text as typed. */
  place = '';
  link = '';
  /** Places that the text may mean, best first. Empty if the user sets the pin on the map. */
  candidates = [];
  chosen = 0;
  /** The pin's point if the user or the device set it. Null stands for the point of the chosen candidate. */
  point = null;
  /** The id of the post to replace. Null adds a post. */
  replaced = null;
  /** The text that the candidates or the pin belong to. Null before a search. */
  found = null;
  /** True if the user typed the place's text. False if the text follows from the pin's point. */
  isNamed = true;
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

  /** The name of the place. */
  get name() { return this.candidate?.label ?? this.place.trim(); }

  /** The pin's position. Undefined until the user sets the pin. */
  get position() { return this.point ?? this.candidate; }

  /** Takes over places that a search found. */
  take(candidates, point) {
    Object.assign(this, { found: this.place, candidates, chosen: 0, point, isNamed: true });
  }

  /** Gives the place another name. The pin stays where it is. */
  rename(place, isNamed) {
    Object.assign(this, { place, found: place, isNamed });
  }

  /** Puts the pin at a point whose place is unknown. The name is the point's coordinates. */
  putAt(point) {
    Object.assign(this, { candidates: [], chosen: 0, point });
    this.rename(coordinates(point), false);
  }

  /** The body of the request that saves the post. */
  get body() {
    // The server finds the first candidate by the text. Any other candidate needs its full name and its point. The
    // name of a suggestion may have several places, so a suggestion needs its point too.
    const isFirst = this.chosen === 0;
    const point = this.point ?? (isFirst && !this.candidate?.isSuggested ? null : this.candidate);
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

/** Returns a point's coordinates for people, such as "49.30, −30.10". */
export function coordinates({ latitude, longitude }) {
  return [latitude, longitude].map((degrees) => degrees.toFixed(2).replace('-', '−')).join(', ');
}

/** Rounds degrees to 5 decimals, which is about one metre. */
function rounded(degrees) {
  return Math.round(degrees * 1e5) / 1e5;
}
