/** The views that a link can open, as the first part of the path. */
const linked = ['', 'table', 'posts', 'account', 'pin'];
/** Marks the entry of a pin in the history if the entry before it is the map. */
const followsMap = 'follows-map';
/** Safari refuses more than 100 changes of the address in 30 seconds. */
const pauseMs = 300;

/**
 * The page's address: a view, or a pin on the map. The server has the same document for all of them. Links to them
 * change the address without a new document. Fires `change`.
 */
export class Address extends EventTarget {
  /** The path that replaces the current one after a pause, or null. */
  #later = null;
  #timer = null;
  /** Resolves when the browser has left a closed pin. Null if it is not about to. */
  #leaving = null;

  constructor() {
    super();
    // Earlier versions had the view in the fragment.
    const former = location.hash.slice(1);
    if (['table', 'posts'].includes(former)) history.replaceState(null, '', `/${former}`);
    addEventListener('popstate', () => {
      this.#later = null;
      this.#notify();
    });
    addEventListener('click', (event) => this.#follow(event));
  }

  /** The name of the view: `map`, `table`, `posts`, `account`, and so on. A pin's is `pin`. */
  get view() { return location.pathname.split('/')[1] || 'map'; }

  /** The id of the pin's post. Undefined for another view. */
  get id() { return this.view === 'pin' ? location.pathname.split('/')[2] : undefined; }

  /** The parameters after the question mark. */
  get query() { return new URLSearchParams(location.search); }

  /**
   * Goes to a path such as `/table?q=Oslo`. Back returns to the current one. All pins that follow each other share one
   * entry of the history.
   */
  go(path) {
    if (this.#leaving) {
      this.#leaving.then(() => this.go(path));
      return;
    }
    this.#settle();
    if (path === location.pathname + location.search) return;
    const isPin = path.startsWith(pinPath(''));
    if (isPin && this.view === 'pin') history.replaceState(history.state, '', path);
    else history.pushState(isPin && this.view === 'map' ? followsMap : null, '', path);
    this.#notify();
  }

  /** Replaces the current path after a pause of such replacements. Back does not return to it. */
  replaceSoon(path) {
    this.#later = path;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#settle(), pauseMs);
  }

  /** Leaves a pin that the user has closed. Resolves when the address is the map's. */
  async closePin() {
    if (history.state === followsMap) {
      // Another entry for the map would make the next Back do nothing that the user sees.
      this.#leaving ??= new Promise((resolve) => {
        addEventListener('popstate', () => {
          this.#leaving = null;
          resolve();
        }, { once: true });
        history.back();
      });
      await this.#leaving;
      return;
    }
    history.replaceState(null, '', '/');
    this.#notify();
  }

  #settle() {
    clearTimeout(this.#timer);
    if (this.#later !== null) history.replaceState(history.state, '', this.#later);
    this.#later = null;
  }

  #notify() {
    this.dispatchEvent(new Event('change'));
  }

  /** Follows a link to a view. The browser itself follows a link that the user opens in a new tab. */
  #follow(event) {
    const path = event.target.closest('a')?.getAttribute('href') ?? '';
    const isView = path.startsWith('/') && linked.includes(path.split(/[/?]/)[1]);
    const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
    if (!isView || !isPlain || event.defaultPrevented) return;
    event.preventDefault();
    this.go(path);
  }
}

/** Returns the path of a post's pin. */
export function pinPath(id) {
  return `/pin/${id}`;
}
