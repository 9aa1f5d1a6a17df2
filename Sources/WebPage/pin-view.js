import { setTitle } from './address.js';
import { explain } from './common/api.js';
import { byId, element } from './common/element.js';
import { say } from './common/language.js';
import { presented } from './latest/latest.js';
import { pinTitle } from './map/popup.js';

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
  /** The pin on the screen, or on its way there: the post's id, and true if the list contains the post. */
  #shown = { isListed: false };
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
    if (id !== this.#address.id || this.#needsFocus) [...document.querySelectorAll('.popup')].at(-1).focus();
    this.#needsFocus = false;
    this.#address.openPin(id);
  }

  #follow() {
    const { id } = this.#address;
    const before = this.#shown;
    if (this.#latest.epoch === null) {
      // There is no list yet, or the user has signed out of a members-only map.
      this.#shown = { isListed: false };
      this.#map.close();
      return;
    }
    const entry = this.#latest.entry(id);
    const isListed = entry !== undefined;
    if (id === before.id && isListed === before.isListed) return;
    this.#shown = { id, isListed };
    this.#notice.hidden = true;
    if (id === undefined) {
      this.#map.close();
    } else if (isListed) {
      setTitle(pinTitle(entry));
      // The map has already opened a pin that the user has pressed.
      if (this.#map.opened !== id || before.id === id) this.#show(() => this.#map.open(id));
    } else {
      this.#fetch(this.#shown);
    }
  }

  #show(open) {
    this.#needsFocus = true;
    open();
  }

  /** Shows a post that the list does not contain. */
  async #fetch(wanted) {
    let problem;
    try {
      const post = this.#isDropped(wanted.id) ? null : await this.#own.fetch(wanted.id);
      if (wanted !== this.#shown) return;
      if (post?.state === 'published') {
        const entry = presented(post);
        setTitle(pinTitle(entry));
        this.#show(() => this.#map.openOld(entry));
        return;
      }
      problem = say(post === null ? 'pin.gone' : 'pin.waiting');
    } catch (error) {
      if (wanted !== this.#shown) return;
      // The next change of the list tries again.
      this.#shown = { isListed: false };
      problem = explain(error);
    }
    setTitle();
    this.#map.close();
    this.#notice.replaceChildren(
      element('p', {}, problem), element('a.button', { href: '/' }, say('pin.gone.map')));
    this.#notice.hidden = false;
  }
}
