const query = matchMedia('(prefers-reduced-motion: reduce)');

/** Whether whoever looks wants nothing to move. */
export function isCalm() {
  return query.matches;
}
