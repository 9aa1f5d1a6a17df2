import { Cancelled, explain } from '../common/api.js';
import { busy } from '../common/busy.js';
import { Empty } from '../common/empty.js';
import { byId, element } from '../common/element.js';
import { has, moment, say } from '../common/language.js';
import { host, link } from '../common/link.js';
import { pinPath } from '../address.js';

/** The list of the user's posts in every state, with buttons to edit, delete and show them. */
export class PostsView {
  #place;
  #own;
  #session;
  #actions;
  #posts = [];
  #next = null;
  #title = element('h2', { tabindex: '-1' }, say('posts.title'));
  #list = element('ul.posts');
  #more;
  #trouble = element('p.trouble', { role: 'alert' });
  #empty = new Empty();
  #loadNumber = 0;

  /** @param {{edit: function, drop: Deletion, add: function, signIn: function}} actions The actions of the buttons. */
  constructor(place, own, session, actions) {
    [this.#place, this.#own, this.#session, this.#actions] = [place, own, session, actions];
    this.#more = element(
      'button', { type: 'button', hidden: true, onclick: () => busy(this.#more, () => this.#load(this.#next)) },
      say('more'));
    place.append(this.#title, this.#trouble, this.#empty.root, this.#list, this.#more);
  }

  /** Loads the posts again. */
  show() {
    if (this.#session.account === null) {
      this.#loadNumber += 1;
      [this.#posts, this.#next] = [[], null];
      this.redraw();
      return Promise.resolve();
    }
    return this.#load(null);
  }

  async #load(after) {
    const number = ++this.#loadNumber;
    this.#trouble.textContent = '';
    try {
      const { posts, next } = await this.#own.page(after);
      if (number !== this.#loadNumber) return;
      this.#posts = after === null ? posts : [...this.#posts, ...posts];
      this.#next = next;
    } catch (error) {
      if (number !== this.#loadNumber) return;
      if (!(error instanceof Cancelled)) this.#trouble.replaceChildren(explain(error));
    }
    this.redraw();
  }

  /**
   * Draws the loaded posts. The focus stays at its post, or goes to the next one if that has left the list.
   *
   * @param {string} [restored] The id of a post that the user has just restored. It gets the focus.
   */
  redraw(restored) {
    const shown = this.#posts.filter((post) => !this.#actions.drop.has(post.id));
    const focused = [...this.#list.children].findIndex((item) => item.contains(document.activeElement));
    const { id = restored } = this.#list.children[focused]?.dataset ?? {};
    const name = focused < 0 ? say('delete') : document.activeElement.textContent;
    this.#list.replaceChildren(...shown.map((post) => this.#item(post)));
    if (id !== undefined) this.#focus(id, focused, name);
    this.#more.hidden = this.#next === null;
    const { add, signIn } = this.#actions;
    if (shown.length) this.#empty.show('');
    else if (this.#session.account) this.#empty.show(say('posts.empty'), { label: say('add'), run: add });
    else this.#empty.show(say('posts.signed-out'), { label: say('sign-in'), run: signIn });
  }

  /**
   * Focuses the control with a name at a post. Without the post, focuses the one at an index, or else the heading.
   * Behind another tab, the focus goes to the map if it is visible.
   */
  #focus(id, index, name) {
    if (this.#place.hidden) {
      byId('map').focus({ preventScroll: true });
      return;
    }
    const items = [...this.#list.children];
    const item = items.find((other) => other.dataset.id === id) ?? items[Math.min(index, items.length - 1)];
    const controls = [...item?.querySelectorAll('a, button') ?? []];
    (controls.find((control) => control.textContent === name) ?? controls.at(-1) ?? this.#title).focus();
  }

  /** Loads the changed posts again if the view shows them. */
  async follow(ids) {
    const number = this.#loadNumber;
    const isShown = (id) => this.#posts.some((post) => post.id === id) && !this.#actions.drop.has(id);
    await Promise.all(ids.filter(isShown).map(async (id) => {
      const post = await this.#own.fetch(id).catch(() => undefined);
      // Keep the post after a failure. Ignore the response if a newer load has begun.
      if (post === undefined || number !== this.#loadNumber) return;
      this.#posts = this.#posts.flatMap((other) => (other.id === id ? post ?? [] : other));
      this.redraw();
    }));
  }

  #item(post) {
    const isOnMap = post.state === 'published';
    const button = (name, run) => element(
      'button', { type: 'button', 'aria-label': say(`${name}.post`, { place: post.place }), onclick: run }, say(name));
    return element(
      'li', { 'data-id': post.id, 'data-state': post.state },
      element('div', {},
        element('strong', {}, post.place), ' ', element(`span.state.${post.state}`, {}, say(`state.${post.state}`)),
        element('p', {}, post.label ? element('span.quiet', {}, post.label) : null),
        element('p', {}, link({ ...post, host: host(post.link) })),
        post.reason ? element('p.reason', {}, reason(post.reason)) : null,
        element('p', {}, element('time.quiet', { datetime: post.updatedAt }, moment(Date.parse(post.updatedAt))))),
      element('div.actions', {},
        isOnMap ? element(
          'a.button', { href: pinPath(post.id), 'aria-label': say('show.post', { place: post.place }) }, say('show'))
          : null,
        post.state === 'queued' ? null : button('edit', () => this.#actions.edit(post)),
        button('delete', () => this.#actions.drop.begin(post))));
  }
}

function reason({ code, detail }) {
  const name = `reason.${code}`;
  return has(name) ? say(name) : element('span', { lang: 'en' }, detail);
}
