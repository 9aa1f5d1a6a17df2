import { say } from './language.js';

/** Sets the title of the window and of the entry in the history. Without a text, the title is the page's name. */
export function setTitle(text = '') {
  document.title = text ? `${text} · On The Map` : 'On The Map';
}

/** Returns the title of a pin for the window and for other apps. */
export function pinTitle(entry) {
  return say('pin.of', { name: entry.name, place: entry.place });
}
