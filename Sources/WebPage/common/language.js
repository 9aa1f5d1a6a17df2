/** The texts by key. The document loads a script with the texts of its own language. */
const { texts } = globalThis;

/** The page's languages: each code with the language's own name. */
export const languages = { en: 'English', de: 'Deutsch', es: 'Español', fr: 'Français', pt: 'Português' };

/** The document's language: the user's choice, or the first of the browser's languages that the page has. */
export const language = document.documentElement.lang;

/** The locale of dates and numbers: the browser's variant of the language, such as en-GB, or else the language. */
export const locale = navigator.languages.find((tag) => tag.split('-')[0] === language && isLocale(tag)) ?? language;

/** Returns false for a tag that `Intl` refuses, such as en-US@posix, which Chromium has on some Linux systems. */
function isLocale(tag) {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}

/** Changes the language and reloads the page. The server reads the choice from a cookie. */
export function choose(code) {
  document.cookie = `language=${code}; path=/; max-age=31536000; samesite=lax`;
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
  let text = texts[name];
  if (typeof text === 'object') text = text[plurals.select(values.n)] ?? text.other;
  return text.replace(/\{(\w+)\}/g, (whole, place) => values[place] ?? whole);
}

/** Returns true if the page has a text with this key. */
export function has(name) {
  return Object.hasOwn(texts, name);
}

const ages = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' });
const moments = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' });
const clocks = new Intl.DateTimeFormat(locale, { timeStyle: 'medium' });
const units = [['year', 31_557_600], ['month', 2_629_800], ['day', 86_400], ['hour', 3_600], ['minute', 60],
  ['second', 1]];

/** Formats the age of a time for people, in few letters. */
export function age(unixMs, nowMs = Date.now()) {
  const ms = nowMs - unixMs;
  return ms < 60_000 ? say('age.now') : ago(ms);
}

/** Formats the time since an event for people, in whole units from seconds to years. */
export function ago(ms) {
  const seconds = Math.floor(Math.max(0, ms) / 1_000);
  const [unit, length] = units.find(([, least]) => seconds >= least) ?? units.at(-1);
  return ages.format(-Math.floor(seconds / length), unit);
}

/** Formats a date and time for people. */
export function moment(unixMs) {
  return moments.format(unixMs);
}

/** Formats a time of day for people. */
export function clock(unixMs) {
  return clocks.format(unixMs);
}

const hours = new Intl.DateTimeFormat(locale, { timeStyle: 'short' });
const dates = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });

/** Formats a time without seconds for people. A time of today has no date. */
export function recent(unixMs) {
  const isToday = new Date(unixMs).toDateString() === new Date().toDateString();
  return (isToday ? hours : dates).format(unixMs);
}

/** Returns the first character of a name, which may have several code points, or "?" for an empty name. */
export function initial(name) {
  const [first] = new Intl.Segmenter(language).segment(name);
  return first?.segment.toLocaleUpperCase(language) ?? '?';
}
