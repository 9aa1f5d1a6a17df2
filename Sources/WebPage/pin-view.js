import { explain, retryLater } from './common/api.js';
import { byId, element } from './common/element.js';
import { say } from './common/language.js';
import { pinTitle, setTitle } from './common/title.js';
import { pinPath } from './address.js';
import { presented } from './latest/latest.js';

/**
 * Shows the pin that the address names, and changes the address when the user opens or closes a pin. The post may be
 * older than the list. A notice replaces a pin that does not exist.
 */
export class PinView {
  #address;
  #map;
  #latest;
  #own;
  #isDropped;
  /** What the address names: the post's id, and true if the list contains the post. A new object for each change. */
  #wanted = { isListed: false };
  /** The id of the last post whose popup was open. A change of this post neither moves the map nor takes the focus. */
  #seen = null;
  #needsFocus = false;
  #notice = element('div.lost', { role: 'status', hidden: true });

  /** @param {function(string): boolean} isDropped Returns true for a post that the user has just deleted. */
  constructor(address, map, latest, own, isDropped) {
    [this.#address, this.#map, this.#latest, this.#own, this.#isDropped] = [address, map, latest, own, isDropped];
    byId('view-map').append(this.#notice);
    map.addEventListener('open', ({ detail }) => this.#opened(detail));
    map.addEventListener('close', ({ detail }) => {
      if (detail === address.id) address.closePin();
    });
    for (const source of [address, latest]) source.addEventListener('change', () => this.#follow());
    own.addEventListener('change', () => map.redrawOld());
  }

  #opened(id) {
    // A popup that opens again after a change of its post must not take the focus. An earlier popup may still fade.
    if (id !== this.#address.id || this.#needsFocus) {
      [...document.querySelectorAll('.popup')].at(-1).focus({ preventScroll: true });
    }
    this.#needsFocus = false;
    this.#seen = id;
    this.#address.go(pinPath(id));
  }

  #follow() {
    const { id } = this.#address;
    const before = this.#wanted;
    if (this.#latest.epoch === null) {
      // There is no list yet, or the user has signed out of a members-only map.
      this.#wanted = { isListed: false };
      this.#map.close();
      return;
    }
    const entry = this.#latest.entry(id);
    const isListed = entry !== undefined;
    if (id === before.id && isListed === before.isListed) return;
    this.#wanted = { id, isListed };
    this.#notice.hidden = true;
    if (id !== this.#seen) this.#seen = null;
    if (id === undefined) {
      this.#map.close();
    } else if (isListed) {
      setTitle(pinTitle(entry));
      // The map has already opened a pin that the user has pressed.
      if (this.#map.opened !== id || before.id === id) this.#show((options) => this.#map.open(id, options));
    } else {
      this.#fetch(this.#wanted);
    }
  }

  /** Opens a pin with options for the map. The popup of a pin takes the focus once. */
  #show(open) {
    const isStill = this.#seen === this.#wanted.id;
    // The focus is still in the popup that this one replaces, or went from there to the map.
    this.#needsFocus = !isStill || document.activeElement.matches('body, #map, .leaflet-popup *');
    open({ isStill });
  }

  /** Shows a post that the list does not contain. */
  async #fetch(wanted) {
    let problem;
    try {
      const post = this.#isDropped(wanted.id) ? null : await this.#own.fetch(wanted.id);
      if (wanted !== this.#wanted) return;
      if (post?.state === 'published') {
        const entry = presented(post);
        this.#notice.hidden = true;
        setTitle(pinTitle(entry));
        this.#show((options) => this.#map.openOld(entry, options));
        return;
      }
      problem = say(post === null ? 'pin.gone' : 'pin.waiting');
    } catch (error) {
      if (wanted !== this.#wanted) return;
      retryLater(error, () => { if (wanted === this.#wanted) this.#fetch(wanted); });
      problem = explain(error);
    }
    setTitle();
    this.#map.close();
    this.#notice.replaceChildren(
      element('p', {}, problem), element('a.button', { href: '/' }, say('pin.gone.map')));
    this.#notice.hidden = false;
  }
}
