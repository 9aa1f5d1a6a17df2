import { byId } from './common/element.js';

/** The tabs of the page's views. One view is visible. (WAI-ARIA Authoring Practices, "Tabs".) Fires `change`. */
export class Tabs extends EventTarget {
  #names;

  /** @param {string[]} names The names in the ids `tab-…` and `view-…`. Shows the URL's view, or else the first one. */
  constructor(names) {
    super();
    this.#names = names;
    for (const name of names) {
      const tab = byId(`tab-${name}`);
      tab.addEventListener('click', () => this.show(name));
      tab.addEventListener('keydown', (event) => this.#press(event, name));
    }
    addEventListener('hashchange', () => this.#follow());
    this.#follow();
  }

  /** Shows one view and hides the others. */
  show(name) {
    if (name === this.shown) return;
    this.shown = name;
    for (const other of this.#names) {
      const isShown = other === name;
      byId(`tab-${other}`).setAttribute('aria-selected', String(isShown));
      byId(`tab-${other}`).tabIndex = isShown ? 0 : -1;
      byId(`view-${other}`).hidden = !isShown;
    }
    history.replaceState(null, '', name === this.#names[0] ? location.pathname + location.search : `#${name}`);
    this.dispatchEvent(new Event('change'));
  }

  #follow() {
    const wanted = location.hash.slice(1);
    this.show(this.#names.includes(wanted) ? wanted : this.shown ?? this.#names[0]);
  }

  #press(event, name) {
    const count = this.#names.length;
    const at = this.#names.indexOf(name);
    const next = { ArrowRight: at + 1, ArrowLeft: at - 1 + count, Home: 0, End: count - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    this.show(this.#names[next % count]);
    byId(`tab-${this.#names[next % count]}`).focus();
  }
}
