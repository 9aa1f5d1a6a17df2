import { byId } from './element.js';

/** Says something to those who do not see it happen. The same text twice is said twice. */
export function announce(text) {
  const place = byId('announcements');
  place.textContent = '';
  // A screen reader says what it sees changing: so it has to be gone for a moment.
  requestAnimationFrame(() => { place.textContent = text; });
}
