import { Problem, request } from '../common/api.js';
import { language } from '../common/language.js';

/**
 * Finds the places that a text may mean, best first. Returns an empty array if the server knows none. Throws `Offline`,
 * `Problem` or `Cancelled`.
 */
export async function findPlaces(text, { limit = 5, isBegun = false, signal } = {}) {
  return places('/v2/geocode', { q: text, limit, lang: language, ...(isBegun && { autocomplete: true }) }, signal);
}

/** Finds the place nearest to a point. Returns an array of at most one place. */
export async function placesAround({ latitude, longitude }, signal) {
  return places('/v2/reverse', { lat: latitude, lon: longitude, limit: 1, lang: language }, signal);
}

async function places(path, query, signal) {
  try {
    const { body } = await request('GET', `${path}?${new URLSearchParams(query)}`, { signal });
    return distinct(body.places);
  } catch (error) {
    if (error instanceof Problem && error.code === 'place_not_found') return [];
    throw error;
  }
}

/**
 * Returns the places in their order, each with a label of its own. A repeated label gets the county. Without a county,
 * people cannot tell the place from the more important one, so the result omits it.
 */
export function distinct(places) {
  const labels = new Set();
  return places.flatMap((place) => {
    const { name, county } = place;
    const label = [place.label, county && place.label.replace(name, () => `${name}, ${county}`)]
      .find((candidate) => candidate && !labels.has(candidate));
    if (!label) return [];
    labels.add(label);
    return [{ ...place, label }];
  });
}
