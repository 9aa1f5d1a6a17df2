import { texts } from '../texts.js';

const key = 'onthemap.language';

/** The languages that the page speaks, by their own names. */
export const languages = Object.fromEntries(Object.entries(texts).map(([code, text]) => [code, text['language.own']]));

/** The one that it speaks now: chosen before, or the first of the browser's that it knows. */
export const language = chosen() ?? 'en';

function chosen() {
  const wanted = [stored(), ...navigator.languages.map((tag) => tag.split('-')[0])];
  return wanted.find((code) => Object.hasOwn(texts, code));
}

function stored() {
  try {
    return localStorage.getItem(key);
  } catch {
    // Storage may be forbidden; then the browser's language it is.
    return null;
  }
}

/** Speaks another one, from the next start on. */
export function choose(code) {
  try {
    localStorage.setItem(key, code);
  } catch {
    // It is forgotten, then.
  }
  location.reload();
}

const plurals = new Intl.PluralRules(language);

/**
 * A text in the page's language.
 *
 * @param {string} name of the text
 * @param {Object} values for its {places}; `n` decides between one and many
 */
export function say(name, values = {}) {
  let text = texts[language][name] ?? texts.en[name];
  if (typeof text === 'object') text = text[plurals.select(values.n)] ?? text.other;
  return text.replace(/\{(\w+)\}/g, (whole, place) => values[place] ?? whole);
}

/** Whether there is such a text. */
export function has(name) {
  return Object.hasOwn(texts.en, name);
}

/** Puts texts where the page's markup has only their names. */
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

/** How long ago something was, for people. */
export function age(unixMs, nowMs = Date.now()) {
  const seconds = Math.max(0, (nowMs - unixMs) / 1_000);
  for (const [unit, length] of units) {
    if (seconds >= length) return ages.format(-Math.floor(seconds / length), unit);
  }
  return say('age.now');
}

/** When something was, for people. */
export function moment(unixMs) {
  return moments.format(unixMs);
}

/** At what time of the day something was, for people. */
export function clock(unixMs) {
  return clocks.format(unixMs);
}

/** The first character of a name as people see it, which may be many in the text. "?" where the name is empty. */
export function initial(name) {
  const [first] = new Intl.Segmenter(language).segment(name);
  return first?.segment.toLocaleUpperCase(language) ?? '?';
}
