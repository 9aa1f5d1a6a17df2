import { say } from '../common/language.js';

/** Below this confidence the preview also says how exact the pin is. */
const unsure = 0.5;

/**
 * Returns how the server's answer differs from the text that it was found by.
 *
 * @param {Object} place of the answer
 * @param {string} typed the text
 * @param {boolean} isPlaced true where the person has moved the pin: the place's own point does not matter then
 * @returns {{lines: string[], isMild: boolean}} sentences, none for a plain answer; mild where only words around the
 *   place are left over
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

/** Words with a number, or a part of their own between commas: "10 Downing St", but not "I live in". */
function isAddress(words, typed) {
  const parts = typed.split(/[,;]/).map((part) => part.trim());
  return /\p{N}/u.test(words) || parts.some((part) => part && words.startsWith(part));
}

/** The same place where a person has chosen it by its full name: no word is left over, and nothing is unsure. */
export function chosen(place) {
  return { ...place, match: 'exact', confidence: 1, matched: place.label, unmatched: '' };
}
