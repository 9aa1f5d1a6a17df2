import { element } from '../common/element.js';
import { age, language, moment, say } from '../common/language.js';
import { link } from '../map/popup.js';

const columns = [
  { key: 'name', text: 'column.name', value: (entry) => entry.name },
  { key: 'place', text: 'column.place', value: (entry) => entry.place },
  { key: 'link', text: 'column.link', value: (entry) => entry.host ?? '' },
  { key: 'age', text: 'column.age', value: (entry) => -entry.seq },
];
const order = new Intl.Collator(language, { sensitivity: 'base', numeric: true });
const ageMs = 20_000;
const newMs = 4_000;

/** The latest posts as a table. The user can sort it, and search by name, place and link. */
export class TableView {
  #latest;
  #isOwn;
  #showOnMap;
  #rows = new Map();
  #sort = { key: 'age', isFalling: false };
  #search = '';
  #isDue = false;
  #changed = new Set();
  #heads = new Map();
  #body = element('tbody');
  #empty = element('p.empty', { role: 'status' });

  /**
   * @param {HTMLElement} place
   * @param {Latest} latest
   * @param {function(string): boolean} isOwn
   * @param {function(string)} showOnMap Moves the map to a post's pin.
   */
  constructor(place, latest, isOwn, showOnMap) {
    [this.#latest, this.#isOwn, this.#showOnMap] = [latest, isOwn, showOnMap];
    place.append(this.#searchBox(), element(
      'div.wide', { tabindex: '0', role: 'region', 'aria-label': say('table.title') },
      element('table', {}, element('thead', {}, element('tr', {}, ...columns.map((column) => this.#head(column)))),
        this.#body)), this.#empty);
    latest.addEventListener('change', ({ detail }) => {
      for (const id of detail.changed) this.#changed.add(id);
      this.redraw();
    });
    setInterval(() => this.#updateAges(), ageMs);
    this.redraw();
  }

  /** Draws all changes with the next animation frame. */
  redraw() {
    if (this.#isDue) return;
    this.#isDue = true;
    requestAnimationFrame(() => {
      this.#isDue = false;
      this.#draw();
      this.#changed.clear();
    });
  }

  #searchBox() {
    const input = element('input', {
      type: 'search', id: 'search', placeholder: say('search.hint'), autocomplete: 'off',
      oninput: () => {
        this.#search = input.value.trim().toLocaleLowerCase(language);
        this.redraw();
      },
    });
    return element('div.search', {}, element('label', { for: 'search' }, say('search')), input);
  }

  #head({ key, text }) {
    const head = element('th', { scope: 'col', class: `column-${key}` }, element('button', {
      type: 'button', onclick: () => {
        const isFalling = this.#sort.key === key && !this.#sort.isFalling;
        this.#sort = { key, isFalling };
        this.redraw();
      },
    }, say(text)));
    this.#heads.set(key, head);
    return head;
  }

  #draw() {
    const all = this.#latest.entries;
    const matching = this.#sorted(all.filter((entry) => this.#matches(entry)));
    for (const [key, head] of this.#heads) {
      if (key !== this.#sort.key) head.removeAttribute('aria-sort');
      else head.setAttribute('aria-sort', this.#sort.isFalling ? 'descending' : 'ascending');
    }
    const kept = new Map();
    for (const entry of matching) kept.set(entry.id, this.#row(entry));
    this.#rows = kept;
    this.#arrange(matching.map((entry) => kept.get(entry.id).row));
    this.#empty.textContent = matching.length ? '' : say(all.length ? 'search.none' : 'table.empty');
  }

  /** Moves only the rows at a wrong position, because a moved row loses the focus. */
  #arrange(rows) {
    const wanted = new Set(rows);
    for (const row of [...this.#body.children]) if (!wanted.has(row)) row.remove();
    let at = this.#body.firstElementChild;
    for (const row of rows) {
      if (row === at) at = at.nextElementSibling;
      else this.#body.insertBefore(row, at);
    }
  }

  #matches(entry) {
    return [entry.name, entry.place, entry.label, entry.link]
      .some((text) => text.toLocaleLowerCase(language).includes(this.#search));
  }

  #sorted(entries) {
    const { value } = columns.find((column) => column.key === this.#sort.key);
    const direction = this.#sort.isFalling ? -1 : 1;
    return entries.sort((one, other) => {
      const [a, b] = [value(one), value(other)];
      const compared = typeof a === 'number' ? a - b : order.compare(a, b);
      return direction * compared || other.seq - one.seq;
    });
  }

  #row(entry) {
    const isOwn = this.#isOwn(entry.id);
    const known = this.#rows.get(entry.id);
    if (known?.entry.seq === entry.seq && known.isOwn === isOwn) return known;
    const time = element('time', { datetime: entry.updatedAt, title: moment(entry.updatedMs) }, age(entry.updatedMs));
    const row = element(
      this.#changed.has(entry.id) ? 'tr.new' : 'tr', { onclick: (event) => {
        // A click on a row leads to its pin, unless it hits a link or button.
        if (!event.target.closest('a, button') && !getSelection().toString()) this.#showOnMap(entry.id);
      } },
      element('th.column-name', { scope: 'row' },
        element('button.plain', { type: 'button', onclick: () => this.#showOnMap(entry.id) }, entry.name),
        isOwn ? element('span.mark', {}, say('own')) : null),
      element('td.column-place', {}, entry.place),
      element('td.column-link', {}, link(entry, entry.host)),
      element('td.column-age', {}, time));
    if (this.#changed.has(entry.id)) setTimeout(() => row.classList.remove('new'), newMs);
    return { entry, isOwn, row, time };
  }

  #updateAges() {
    for (const { entry, time } of this.#rows.values()) time.textContent = age(entry.updatedMs);
  }
}
