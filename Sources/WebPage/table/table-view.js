import { element } from '../common/element.js';
import { language, say } from '../common/language.js';
import { Entries } from '../list/entries.js';

const columns = [
  { key: 'name', text: 'column.name', value: (entry) => entry.name },
  { key: 'place', text: 'column.place', value: (entry) => entry.place },
  { key: 'link', text: 'column.link', value: (entry) => entry.host ?? '' },
  { key: 'age', text: 'column.age', value: (entry) => -entry.seq },
];
const newest = 'age';
const collator = new Intl.Collator(language, { sensitivity: 'base', numeric: true });

/**
 * The latest posts as a table. The user can sort it, and search by name, place and link. Fires `search` when the search
 * or the order changes. In a narrow window, style sheets show each row as a card. The roles remain those of a table.
 */
export class TableView extends EventTarget {
  #entries;
  #heads = new Map();
  #sort = { key: newest, isFalling: false };

  /**
   * @param {HTMLElement} place
   * @param {Latest} latest
   * @param {Object} actions As in `Entries`.
   */
  constructor(place, latest, actions) {
    super();
    const body = element('tbody', { role: 'rowgroup' });
    this.#entries = new Entries(body, latest, actions, (parts) => element(
      'tr.entry', { role: 'row' },
      element('th.who', { scope: 'row', role: 'rowheader' }, parts.disc, parts.name, parts.mark),
      element('td.where', { role: 'cell' }, parts.place),
      element('td.host', { role: 'cell' }, parts.link),
      element('td.when', { role: 'cell' }, parts.time)));
    const heads = columns.map((column) => this.#head(column));
    place.append(this.#entries.searchBox, element(
      'table', { role: 'table', 'aria-label': say('table.title') },
      element('thead', { role: 'rowgroup' }, element('tr', { role: 'row' }, ...heads)), body), this.#entries.empty);
    this.#entries.addEventListener('search', () => this.dispatchEvent(new Event('search')));
    this.#show();
  }

  /** The search and the order as the query of an address, such as `?q=oslo&sort=-name`. Empty for the whole list. */
  get query() {
    const { key, isFalling } = this.#sort;
    const order = `${isFalling ? '-' : ''}${key}`;
    const parameters = new URLSearchParams({
      ...(this.#entries.search && { q: this.#entries.search }), ...(order !== newest && { sort: order }) });
    return parameters.size ? `?${parameters}` : '';
  }

  /** @param {URLSearchParams} parameters */
  set query(parameters) {
    const order = parameters.get('sort') ?? newest;
    const key = order.replace(/^-/, '');
    if (this.#heads.has(key)) this.#sort = { key, isFalling: order !== key };
    this.#entries.search = parameters.get('q') ?? '';
    this.#show();
  }

  /** Draws all changes with the next animation frame. */
  redraw() {
    this.#entries.redraw();
  }

  #head({ key, text }) {
    const head = element('th', { scope: 'col', role: 'columnheader', class: `column-${key}` }, element('button', {
      type: 'button', onclick: () => {
        this.#sort = { key, isFalling: this.#sort.key === key && !this.#sort.isFalling };
        this.#show();
        this.dispatchEvent(new Event('search'));
      },
    }, say(text)));
    this.#heads.set(key, head);
    return head;
  }

  /** Applies the order, and marks its column. */
  #show() {
    for (const [key, head] of this.#heads) {
      if (key !== this.#sort.key) head.removeAttribute('aria-sort');
      else head.setAttribute('aria-sort', this.#sort.isFalling ? 'descending' : 'ascending');
    }
    const { value } = columns.find(({ key }) => key === this.#sort.key);
    const direction = this.#sort.isFalling ? -1 : 1;
    this.#entries.order = (one, other) => {
      const [a, b] = [value(one), value(other)];
      const compared = typeof a === 'number' ? a - b : collator.compare(a, b);
      return direction * compared || other.seq - one.seq;
    };
    this.#entries.redraw();
  }
}
