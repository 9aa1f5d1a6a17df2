import { byId } from './common/element.js';
import { setTitle } from './common/title.js';

/**
 * The page's views, of which one is visible, and their tabs. A pin is a part of the map. A view without a tab has a
 * heading. (WAI-ARIA Authoring Practices, "Tabs".) Fires `change`.
 */
export class Tabs extends EventTarget {
  #address;
  #tabs = [...document.querySelectorAll('[role="tab"]')];
  #views = [...document.querySelectorAll('#views > section')];

  /** The name of the visible view, as in its id `view-…`. */
  shown;

  /** Shows the address's view, now and after each change. */
  constructor(address) {
    super();
    this.#address = address;
    for (const tab of this.#tabs) tab.addEventListener('keydown', (event) => this.#press(event, tab));
    address.addEventListener('change', () => this.#follow());
    this.#follow();
  }

  #follow() {
    const view = this.#views.find(({ id }) => id === `view-${this.#address.view}`) ?? byId('view-map');
    const name = view.id.slice('view-'.length);
    const tab = this.#tabs.find(({ id }) => id === `tab-${name}`);
    if (this.#address.view === 'map') setTitle();
    else if (this.#address.view === name) setTitle((tab ?? view.querySelector('h2')).textContent);
    if (name === this.shown) return;
    this.shown = name;
    for (const other of this.#views) other.hidden = other !== view;
    for (const other of this.#tabs) {
      other.setAttribute('aria-selected', String(other === tab));
      other.tabIndex = other === (tab ?? this.#tabs[0]) ? 0 : -1;
    }
    this.dispatchEvent(new Event('change'));
  }

  /** Goes to another tab by its key. A tab is a link, which only Enter would follow. */
  #press(event, tab) {
    const count = this.#tabs.length;
    const at = this.#tabs.indexOf(tab);
    const next = {
      ' ': at, ArrowRight: at + 1, ArrowLeft: at - 1 + count, Home: 0, End: count - 1,
    }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    this.#tabs[next % count].click();
    this.#tabs[next % count].focus();
  }
}
