const query = matchMedia('(prefers-reduced-motion: reduce)');

/** Returns true if the user prefers reduced motion. */
export function isCalm() {
  return query.matches;
}
