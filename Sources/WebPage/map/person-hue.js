/** The number of colours for people. Each has a style rule. */
const hues = 8;

/**
 * Returns the class with the colour of a post's owner. The user has an own colour, and people with the same name
 * share one.
 */
export function personHue({ name }, isOwn) {
  if (isOwn) return 'own';
  let hash = 0;
  for (const letter of name) hash = (hash * 31 + letter.codePointAt(0)) % 1_000_003;
  return `hue-${hash % hues}`;
}
