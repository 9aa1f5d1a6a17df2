import { say } from '../common/language.js';

/** Confidence below which the preview also states how exact the pin is. */
const unsure = 0.5;

/**
 * Describes how the server's result differs from the typed text.
 *
 * @param {Object} place The place of the result.
 * @param {string} typed The text.
 * @param {boolean} isPlaced True if the user has moved the pin. The place's own point does not matter then.
 * @returns {{lines: string[], isMild: boolean}} Sentences, none for an exact result. `isMild` is true if only words
 *   around the place are left over.
 */
export function understanding(place, typed, isPlaced) {
  const { match, matched, unmatched, label, level } = place;
  const lines = [];
  let isMild = true;
  if (match === 'fallback' && unmatched && matched) {
    isMild = !isAddress(unmatched, typed);
    lines.push(say(isMild ? 'understood.left-out' : 'understood.part', { matched, unmatched }));
  } else if (match === 'fallback') {
    isMild = false;
    lines.push(say('understood.wider', { label }));
  } else if (match === 'fuzzy') {
    isMild = false;
    lines.push(say('understood.fuzzy', { matched: matched || typed, label }));
  }
  if (place.degraded) lines.push(say('understood.degraded'));
  const isVague = match === 'fallback' || place.confidence < unsure;
  if (isVague && !isPlaced && level !== 'house') lines.push(say(`exact.${level}`));
  return { lines, isMild };
}

/** Returns true for words with a number, or for a part between commas: "10 Downing St", but not "I live in". */
function isAddress(words, typed) {
  const parts = typed.split(/[,;]/).map((part) => part.trim());
  return /\p{N}/u.test(words) || parts.some((part) => part && words.startsWith(part));
}

/** Returns a place that the user has chosen by its full name: no word is left over, and nothing is uncertain. */
export function chosen(place) {
  return { ...place, match: 'exact', confidence: 1, matched: place.label, unmatched: '' };
}
