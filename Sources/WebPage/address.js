/** The views that a link can open, as the first part of the path. */
const linked = ['', 'table', 'posts', 'account', 'pin'];
/** Marks the entry of the history whose pin the user has closed. */
const closed = 'closed';

/**
 * The page's address: a view, or a pin on the map. The server has the same document for all of them. Links to them
 * change the address without a new document. Fires `change`.
 */
export class Address extends EventTarget {
  constructor() {
    super();
    // Earlier versions had the view in the fragment.
    const former = location.hash.slice(1);
    if (['table', 'posts'].includes(former)) history.replaceState(null, '', `/${former}`);
    addEventListener('popstate', () => this.#notify());
    addEventListener('click', (event) => this.#follow(event));
  }

  /** The name of the view: `map`, `table`, `posts`, `account`, and so on. A pin's is `pin`. */
  get view() { return location.pathname.split('/')[1] || 'map'; }

  /** The id of the pin's post. Undefined for another view. */
  get id() { return this.view === 'pin' ? location.pathname.split('/')[2] : undefined; }

  /** The parameters after the question mark. */
  get query() { return new URLSearchParams(location.search); }

  /** Goes to a path such as `/table?q=Oslo`. Back returns to the current one. */
  go(path) {
    if (path !== location.pathname + location.search) this.#change('pushState', path);
  }

  /** Replaces the current path. Back does not return to it. */
  replace(path) {
    if (path !== location.pathname + location.search) this.#change('replaceState', path);
  }

  /** Goes to a pin that the user has opened. All pins that follow each other share one entry of the history. */
  openPin(id) {
    if (id === this.id) return;
    this.#change(this.view === 'pin' || history.state === closed ? 'replaceState' : 'pushState', pinPath(id));
  }

  /** Replaces a pin that the user has closed by the map. */
  closePin() {
    this.#change('replaceState', '/', closed);
  }

  #change(method, path, state = null) {
    history[method](state, '', path);
    this.#notify();
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

/** Sets the title of the window and of the entry in the history. Without a text, the title is the page's name. */
export function setTitle(text = '') {
  document.title = text ? `${text} · On The Map` : 'On The Map';
}

/** Returns the path of a post's pin. */
export function pinPath(id) {
  return `/pin/${id}`;
}
