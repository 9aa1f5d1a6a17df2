import { Problem, request } from '../common/api.js';
import { language } from '../common/language.js';

/**
 * Returns the places that a text may mean, best first; empty if none is known. Throws `Offline`, `Problem`,
 * `Cancelled`.
 */
export async function findPlaces(text, { limit = 5, isBegun = false, signal } = {}) {
  return places('/v2/geocode', { q: text, limit, lang: language, ...(isBegun && { autocomplete: true }) }, signal);
}

/** Returns the towns around a point, nearest first. */
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
