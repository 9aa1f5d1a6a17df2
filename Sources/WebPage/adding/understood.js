import { say } from '../common/language.js';
import { phrase } from '../common/phrase.js';

/** The confidence below which the preview also states the accuracy of the pin. */
const unsure = 0.5;

/** The texts about a point that stands for an unknown address, by the level of the found place. */
const centres = { postcode: 'understood.centre.postcode', street: 'understood.centre.street' };

/**
 * Describes how the found place differs from the typed text.
 *
 * @param {Object} place The found place.
 * @param {string} typed The typed text.
 * @param {boolean} isPlaced True if the user has moved the pin. The accuracy of the place's point then does not matter.
 * @returns {{lines: Node[][], isMild: boolean}} Sentences: none for an exact match. `isMild` is true if the search
 *   ignored only words around the place.
 */
export function understanding(place, typed, isPlaced) {
  const { match, matched, unmatched, label, level } = place;
  const lines = [];
  let isMild = true;
  let isVague = match === 'fallback' || place.confidence < unsure;
  if (match === 'fallback' && unmatched && matched) {
    isMild = !isAddress(unmatched, typed);
    if (isMild) {
      lines.push(phrase('understood.left-out', { matched, unmatched }));
    } else if (isPlaced || level === 'house') {
      lines.push(phrase('understood.part', { matched, unmatched }));
    } else {
      lines.push(phrase(centres[level] ?? 'understood.centre', { matched, unmatched }));
      isVague = false;
    }
  } else if (match === 'fallback') {
    isMild = false;
    lines.push(phrase('understood.wider', { label }));
  } else if (match === 'fuzzy') {
    isMild = false;
    lines.push(phrase('understood.fuzzy', { matched: matched || typed, label }));
  }
  if (place.degraded) lines.push([say('understood.degraded')]);
  if (isVague && !isPlaced && level !== 'house') lines.push([say(`exact.${level}`)]);
  return { lines, isMild };
}

/**
 * Returns true if words look like an address, such as "10 Downing St" but not "I live in". An address has a number, or
 * begins with a whole part between commas.
 */
function isAddress(words, typed) {
  const parts = typed.split(/[,;]/).map((part) => part.trim());
  return /\p{N}/u.test(words) || parts.some((part) => part && words.startsWith(part));
}

/** Returns a suggested place as an exact match, because the user has chosen its full name. */
export function suggested(place) {
  return { ...place, match: 'exact', confidence: 1, matched: place.label, unmatched: '', isSuggested: true };
}
