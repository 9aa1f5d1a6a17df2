import { element } from '../common/element.js';
import { say } from '../common/language.js';
import { Entries } from './entries.js';

/**
 * The latest posts as a list beside or below the map, newest first. Fires `hover` with the id of the post under the
 * mouse or with the focus, or with null.
 */
export class PinList extends EventTarget {
  #list;
  #entries;
  #lit = null;

  /**
   * @param {{title: HTMLElement, body: HTMLElement}} places The elements of the list's title and content.
   * @param {Latest} latest
   * @param {Object} actions As in `Entries`.
   */
  constructor({ title, body }, latest, actions) {
    super();
    this.#list = element('ul.entries', {
      onpointerover: (event) => this.#hover(event.target), onpointerleave: () => this.#hover(null),
      onfocusin: (event) => this.#hover(event.target), onfocusout: () => this.#hover(null),
    });
    this.#entries = new Entries(this.#list, latest, actions, (parts, { id }) => element(
      'li.entry', { 'data-id': id },
      element('div.who', {}, parts.disc, parts.name, parts.mark), element('div.where', {}, parts.place),
      element('div.when', {}, parts.time), element('div.host', {}, parts.link)));
    this.#entries.addEventListener('draw', () => {
      const isKnown = latest.epoch !== null;
      title.textContent = isKnown ? say('pin.many', { n: this.#entries.count }) : say('table.title');
    });
    body.append(this.#entries.searchBox, this.#list, this.#entries.empty);
  }

  /** Draws all changes with the next animation frame. */
  redraw() {
    this.#entries.redraw();
  }

  /** Lights the row of a post, and scrolls the list to it. Null lights none. */
  light(id) {
    this.#lit?.classList.remove('lit');
    this.#lit = this.#entries.row(id);
    this.#lit?.classList.add('lit');
    if (!this.#lit) return;
    // `scrollIntoView` would also scroll the view, in which the sheet of a narrow window covers most of the list.
    const [row, list] = [this.#lit, this.#list].map((one) => one.getBoundingClientRect());
    this.#list.scrollTop += Math.min(0, row.top - list.top) + Math.max(0, row.bottom - list.bottom);
  }

  #hover(target) {
    const id = target?.closest('li')?.dataset.id ?? null;
    this.dispatchEvent(new CustomEvent('hover', { detail: id }));
  }
}
