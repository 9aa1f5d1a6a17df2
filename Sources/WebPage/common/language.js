import { texts } from '../texts.js';

const storageKey = 'onthemap.language';

/** The page's languages: each code with the language's own name. */
export const languages = Object.fromEntries(Object.entries(texts).map(([code, text]) => [code, text['language.own']]));

/** The current language: the user's choice, or the first of the browser's languages that the page has. */
export const language = chosen() ?? 'en';

function chosen() {
  const wanted = [stored(), ...navigator.languages.map((tag) => tag.split('-')[0])];
  return wanted.find((code) => Object.hasOwn(texts, code));
}

function stored() {
  try {
    return localStorage.getItem(storageKey);
  } catch {
    // The browser may forbid storage. The page then uses the browser's language.
    return null;
  }
}

/** Changes the language and reloads the page. */
export function choose(code) {
  try {
    localStorage.setItem(storageKey, code);
  } catch {
    // The browser may forbid storage. The choice is then lost.
  }
  location.reload();
}

const plurals = new Intl.PluralRules(language);

/**
 * Returns a text in the page's language.
 *
 * @param {string} name The text's key.
 * @param {Object} values Values for its {placeholders}. `n` selects the plural form.
 */
export function say(name, values = {}) {
  let text = texts[language][name] ?? texts.en[name];
  if (typeof text === 'object') text = text[plurals.select(values.n)] ?? text.other;
  return text.replace(/\{(\w+)\}/g, (whole, place) => values[place] ?? whole);
}

/** Returns true if the page has a text with this key. */
export function has(name) {
  return Object.hasOwn(texts.en, name);
}

/** Writes the texts of the page's language into the markup. */
export function translate(root = document) {
  document.documentElement.lang = language;
  for (const place of root.querySelectorAll('[data-text]')) place.textContent = say(place.dataset.text);
  for (const place of root.querySelectorAll('[data-label]')) place.setAttribute('aria-label', say(place.dataset.label));
  for (const place of root.querySelectorAll('[data-hint]')) place.setAttribute('placeholder', say(place.dataset.hint));
}

const ages = new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'long' });
const moments = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium' });
const clocks = new Intl.DateTimeFormat(language, { timeStyle: 'medium' });
const units = [['year', 31_557_600], ['month', 2_629_800], ['day', 86_400], ['hour', 3_600], ['minute', 60]];

/** Formats the age of a time for people. */
export function age(unixMs, nowMs = Date.now()) {
  const seconds = Math.max(0, (nowMs - unixMs) / 1_000);
  for (const [unit, length] of units) {
    if (seconds >= length) return ages.format(-Math.floor(seconds / length), unit);
  }
  return say('age.now');
}

/** Formats a date and time for people. */
export function moment(unixMs) {
  return moments.format(unixMs);
}

/** Formats a time of day for people. */
export function clock(unixMs) {
  return clocks.format(unixMs);
}

/** Returns the first character of a name, which may have several code points, or "?" for an empty name. */
export function initial(name) {
  const [first] = new Intl.Segmenter(language).segment(name);
  return first?.segment.toLocaleUpperCase(language) ?? '?';
}
