import { announce } from '../common/announce.js';
import { Empty } from '../common/empty.js';
import { element } from '../common/element.js';
import { age, say } from '../common/language.js';
import { fold } from '../common/fold.js';
import { MotionLimit } from '../common/motion.js';
import { entryParts } from './entry.js';

const ageMs = 20_000;
const newMs = 4_000;
const newMost = 6;
/** The time from the last key of a search to its announcement. */
const restMs = 500;

/**
 * The latest posts as rows of a list or table: those that match a search, newest first or in another order. An
 * unchanged post keeps its row, because a new row would lose the focus. Fires `search` when the user types.
 */
export class Entries extends EventTarget {
  #place;
  #latest;
  #actions;
  #row;
  #rows = new Map();
  #changed = new Set();
  #motions = new MotionLimit(newMost);
  #isDue = false;
  #input = element('input', {
    type: 'search', placeholder: say('search.hint'), autocomplete: 'off', 'aria-label': say('search'),
    enterkeyhint: 'search', oninput: () => {
      this.redraw();
      this.dispatchEvent(new Event('search'));
      this.#announceSoon();
    },
  });
  #timer = null;
  #empty = new Empty();

  /** The search field, and the text for a list without rows. */
  searchBox = element('div.search', {}, this.#input);
  empty = this.#empty.root;

  /** Compares two entries. The initial order is newest first. */
  order = (one, other) => other.seq - one.seq;

  /** The number of rows. */
  count = 0;

  /**
   * @param {HTMLElement} place The parent of the rows.
   * @param {Latest} latest
   * @param {{isOwn: function(string): boolean, show: function(string), add: function}} actions Tells if a post belongs
   *   to the user, shows a post on the map, and begins to add a pin.
   * @param {function(Object, Object): HTMLElement} row Makes a row from the parts of an entry.
   */
  constructor(place, latest, actions, row) {
    super();
    [this.#place, this.#latest, this.#actions, this.#row] = [place, latest, actions, row];
    latest.addEventListener('change', ({ detail }) => {
      for (const id of detail.changed) this.#changed.add(id);
      this.redraw();
    });
    setInterval(() => this.#updateAges(), ageMs);
    this.redraw();
  }

  /** The text that rows must contain. */
  get search() { return this.#input.value; }

  set search(text) {
    if (text === this.search) return;
    this.#input.value = text;
    this.redraw();
  }

  /** Returns the row of a post, or undefined. */
  row(id) {
    return this.#rows.get(id)?.root;
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

  #draw() {
    const entries = this.#matching().sort(this.order);
    this.#rows = new Map(entries.map((entry) => [entry.id, this.#kept(entry)]));
    this.#arrange([...this.#rows.values()].map(({ root }) => root));
    this.count = entries.length;
    // Before the first list, the page does not know if there are posts.
    if (entries.length || this.#latest.epoch === null) this.#empty.show('');
    else if (!this.search) this.#empty.show(say('table.empty'), { label: say('add'), run: this.#actions.add });
    else this.#empty.show(say('search.none'), { label: say('search.clear'), run: () => this.#clear() });
    this.dispatchEvent(new Event('draw'));
  }

  #clear() {
    this.search = '';
    this.#input.focus();
    this.dispatchEvent(new Event('search'));
  }

  /** Announces the result of a search to screen readers when the user rests. */
  #announceSoon() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      announce(this.count ? say('pin.many', { n: this.count }) : say('search.none'));
    }, restMs);
  }

  #matching() {
    const wanted = fold(this.search.trim());
    if (!wanted) return this.#latest.entries;
    return this.#latest.entries.filter(({ name, place, label, link }) =>
      [name, place, label, link].some((text) => fold(text).includes(wanted)));
  }

  #kept(entry) {
    const { isOwn, show } = this.#actions;
    const known = this.#rows.get(entry.id);
    if (known?.entry.seq === entry.seq && known.isOwn === isOwn(entry.id)) return known;
    const parts = entryParts(entry, isOwn(entry.id));
    const root = this.#row(parts, entry);
    root.addEventListener('click', (event) => {
      // A click on a row leads to its pin, unless it hits a link or button.
      if (!event.target.closest('a, button') && !getSelection().toString()) show(entry.id);
    });
    if (this.#changed.has(entry.id) && this.#motions.begin(newMs)) {
      root.classList.add('new');
      setTimeout(() => root.classList.remove('new'), newMs);
    }
    return { entry, isOwn: isOwn(entry.id), root, time: parts.time };
  }

  /** Moves only the rows at a wrong position, because a moved row loses the focus. */
  #arrange(rows) {
    const wanted = new Set(rows);
    for (const row of [...this.#place.children]) if (!wanted.has(row)) row.remove();
    let at = this.#place.firstElementChild;
    for (const row of rows) {
      if (row === at) at = at.nextElementSibling;
      else this.#place.insertBefore(row, at);
    }
  }

  #updateAges() {
    for (const { entry, time } of this.#rows.values()) time.textContent = age(entry.updatedMs);
  }
}
