import { element } from '../common/element.js';
import { say } from '../common/language.js';
import { findPlaces } from './places.js';

const pauseMs = 150;
const lengthMin = 2;

/**
 * Suggestions of places below an input while the user types. (WAI-ARIA Authoring Practices, "Combobox".) The list
 * replaces the field's notes and has their height, so that nothing below moves. Without a response, no list appears
 * and the user continues to type.
 */
export class Suggestions {
  #input;
  #notes;
  #onChoose;
  #list;
  #options = [];
  #at = -1;
  #request = null;
  #timer = null;

  /**
   * @param {Field} field The field whose input gets suggestions.
   * @param {function(Object)} onChoose Called with the chosen place.
   */
  constructor({ input, notes }, onChoose) {
    [this.#input, this.#notes, this.#onChoose] = [input, notes, onChoose];
    this.#list = element('ul.suggestions', {
      id: `${input.id}-list`, role: 'listbox', 'aria-label': say('suggestions'), hidden: true,
      // A press on the scroll bar would otherwise blur the input and close the list.
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

  /** Closes the list and cancels the request. */
  close() {
    clearTimeout(this.#timer);
    this.#request?.abort();
    this.#offer([]);
  }

  #wait() {
    this.close();
    const text = this.#input.value.trim();
    if (text.length >= lengthMin) this.#timer = setTimeout(() => this.#search(text), pauseMs);
  }

  async #search(text) {
    this.#request = new AbortController();
    const { signal } = this.#request;
    try {
      const places = await findPlaces(text, { isBegun: true, signal });
      if (!signal.aborted) this.#offer(places);
    } catch {
      // Suggestions are optional. The search itself reports errors.
    }
  }

  #offer(places) {
    this.#at = -1;
    this.#options = places.map((place, index) => element('li', {
      role: 'option', id: `${this.#list.id}-${index}`, 'aria-selected': 'false',
      // Choose on the press, because the input loses the focus next, which closes the list.
      onmousedown: (event) => {
        event.preventDefault();
        this.#choose(place);
      },
    }, element('bdi', {}, place.label)));
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
    this.#onChoose(place);
  }
}
