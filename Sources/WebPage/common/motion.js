const query = matchMedia('(prefers-reduced-motion: reduce)');

/** Returns true if the user prefers reduced motion. */
export function isCalm() {
  return query.matches;
}

/** A limit of animations at the same time, because the browser draws each of them with every frame. */
export class MotionLimit {
  #free;

  constructor(most) { this.#free = most; }

  /** Begins an animation that lasts some milliseconds. Returns false if too many others still run. */
  begin(ms) {
    if (this.#free === 0) return false;
    this.#free -= 1;
    setTimeout(() => { this.#free += 1; }, ms);
    return true;
  }
}
