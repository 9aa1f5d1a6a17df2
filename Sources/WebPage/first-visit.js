import { element } from './common/element.js';
import { say } from './common/language.js';

const key = 'welcome';

/**
 * Shows a card on the map that says what the page is for. It disappears when the user closes it on this device, or has
 * a pin. A map without pins shows it on each visit.
 *
 * @param {HTMLElement} place
 * @param {Latest} latest
 * @param {OwnPosts} own
 * @param {function} add Begins to add a pin.
 */
export function welcome(place, latest, own, add) {
  let isClosed = false;
  const show = () => {
    if (own.newest && !isKnown()) remember();
    const isEmpty = latest.entries.length === 0;
    place.hidden = latest.epoch === null || isClosed || own.newest !== undefined || (!isEmpty && isKnown());
  };
  const close = () => {
    isClosed = true;
    remember();
    show();
  };
  place.append(
    element('p', {}, say('welcome')),
    element('button.primary', { type: 'button', onclick: add }, say('add')),
    element('button.icon', { type: 'button', 'aria-label': say('close'), onclick: close }, '×'));
  latest.addEventListener('change', show);
  own.addEventListener('change', show);
  show();
}

/** Returns true if the user has closed the card on this device. A browser may forbid the storage. */
function isKnown() {
  try {
    return localStorage.getItem(key) !== null;
  } catch {
    return false;
  }
}

function remember() {
  try {
    localStorage.setItem(key, 'closed');
  } catch {
    // The next visit shows the card again.
  }
}
