/** The texts by key. The document loads a script with the texts of its own language. */
const { texts } = globalThis;

/** The page's languages: each code with the language's own name. */
export const languages = { en: 'English', de: 'Deutsch', es: 'Español', fr: 'Français', pt: 'Português' };

/** The document's language: the user's choice, or the first of the browser's languages that the page has. */
export const language = document.documentElement.lang;

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

const ages = new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'short' });
const moments = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium' });
const clocks = new Intl.DateTimeFormat(language, { timeStyle: 'medium' });
const units = [['year', 31_557_600], ['month', 2_629_800], ['day', 86_400], ['hour', 3_600], ['minute', 60]];

/** Formats the age of a time for people, in few letters. */
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

const hours = new Intl.DateTimeFormat(language, { timeStyle: 'short' });
const dates = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' });

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
