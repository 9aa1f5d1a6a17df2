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
export async function placesAround(latitude, longitude, signal) {
  return places('/v2/reverse', { lat: latitude, lon: longitude, limit: 1, lang: language }, signal);
}

async function places(path, query, signal) {
  try {
    const { body } = await request('GET', `${path}?${new URLSearchParams(query)}`, { signal });
    return body.places;
  } catch (error) {
    if (error instanceof Problem && error.code === 'place_not_found') return [];
    throw error;
  }
}
