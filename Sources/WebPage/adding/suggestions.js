import { element } from '../common/element.js';
import { say } from '../common/language.js';
import { findPlaces } from './places.js';

const pauseMs = 150;
const least = 2;

/**
 * Offers places below an input while a person types. (WAI-ARIA Authoring Practices, "Combobox".) The list takes the
 * place of the field's notes, which is as high from the start: nothing below it moves or is covered. Without an answer
 * there is no list, and the person goes on typing.
 */
export class Suggestions {
  #input;
  #notes;
  #take;
  #list;
  #options = [];
  #at = -1;
  #asking = null;
  #timer = null;

  /**
   * @param {Field} field
   * @param {function(Object)} take a place that was chosen
   */
  constructor({ input, notes }, take) {
    [this.#input, this.#notes, this.#take] = [input, notes, take];
    this.#list = element('ul.suggestions', {
      id: `${input.id}-list`, role: 'listbox', 'aria-label': say('suggestions'), hidden: true,
      // Else a press on the scroll bar would take the focus from the input, and close the list.
      onmousedown: (event) => event.preventDefault() });
    for (const [name, value] of Object.entries({
      role: 'combobox', 'aria-autocomplete': 'list', 'aria-expanded': 'false', 'aria-controls': this.#list.id,
      autocomplete: 'off',
    })) input.setAttribute(name, value);
    notes.classList.add('roomy');
    notes.append(this.#list);
    input.addEventListener('input', () => this.#wait());
    input.addEventListener('keydown', (event) => this.#press(event));
    input.addEventListener('blur', () => this.close());
  }

  /** Offers nothing, and does not ask any more. */
  close() {
    clearTimeout(this.#timer);
    this.#asking?.abort();
    this.#offer([]);
  }

  #wait() {
    this.close();
    const text = this.#input.value.trim();
    if (text.length >= least) this.#timer = setTimeout(() => this.#ask(text), pauseMs);
  }

  async #ask(text) {
    this.#asking = new AbortController();
    const { signal } = this.#asking;
    try {
      const places = await findPlaces(text, { isBegun: true, signal });
      if (!signal.aborted) this.#offer(places);
    } catch {
      // One may go on without: the search itself says what is wrong.
    }
  }

  #offer(places) {
    this.#at = -1;
    this.#options = places.map((place, index) => element('li', {
      role: 'option', id: `${this.#list.id}-${index}`, 'aria-selected': 'false',
      // Before the input loses the focus, and with it the list.
      onmousedown: (event) => {
        event.preventDefault();
        this.#choose(place);
      },
    }, place.label));
    this.#options.forEach((option, index) => { option.place = places[index]; });
    this.#list.replaceChildren(...this.#options);
    this.#list.hidden = !places.length;
    this.#list.scrollTop = 0;
    this.#notes.classList.toggle('covered', places.length > 0);
    this.#input.setAttribute('aria-expanded', String(places.length > 0));
    this.#input.removeAttribute('aria-activedescendant');
  }

  #press(event) {
    if (!this.#options.length) return;
    const count = this.#options.length;
    if (event.key === 'ArrowDown') this.#mark((this.#at + 1) % count);
    else if (event.key === 'ArrowUp') this.#mark((this.#at - 1 + count) % count);
    else if (event.key === 'Enter' && this.#at >= 0) this.#choose(this.#options[this.#at].place);
    else if (event.key === 'Escape') this.close();
    else return;
    // Escape closes the list, not the dialog around it.
    event.preventDefault();
    event.stopPropagation();
  }

  #mark(at) {
    this.#options[this.#at]?.setAttribute('aria-selected', 'false');
    this.#at = at;
    this.#options[at].setAttribute('aria-selected', 'true');
    this.#options[at].scrollIntoView({ block: 'nearest' });
    this.#input.setAttribute('aria-activedescendant', this.#options[at].id);
  }

  #choose(place) {
    this.close();
    this.#take(place);
  }
}
