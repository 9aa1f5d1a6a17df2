import { byId } from './element.js';

/** Announces a text to screen readers, even if the previous text was the same. */
export function announce(text) {
  const place = byId('announcements');
  place.textContent = '';
  // A screen reader announces only changes, so the text must be absent for a moment.
  requestAnimationFrame(() => { place.textContent = text; });
}
