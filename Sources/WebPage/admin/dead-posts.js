import { Cancelled, explain } from '../common/api.js';
import { Dialog } from '../common/dialog.js';
import { busy } from '../common/busy.js';
import { count } from '../common/quantity.js';
import { element } from '../common/element.js';
import { has, moment, say } from '../common/language.js';
import { toast } from '../common/toast.js';
import { BoardTable } from './board-table.js';

const pageSize = 50;

/** The table of dead posts with their reasons. An operator can retry or discard them. */
export class DeadPosts {
  #board;
  #posts = [];
  #next = null;
  #shownCounts = null;
  #chosen = new Set();
  #empty = element('p.empty', { role: 'status' });
  #trouble = element('p.trouble', { role: 'alert' });
  #all = element('input', { type: 'checkbox', onchange: () => this.#chooseAll() });
  #table = new BoardTable(
    say('admin.dead'),
    ['column.place', 'admin.reason', 'admin.failed-attempts', 'admin.since'].map((text) => say(text)),
    element('label', {}, this.#all, element('span', {}, say('admin.select-all'))));
  #reason = element('select', { id: 'dead-reason', onchange: () => this.#load(null) });
  #retry = this.#button('admin.retry', () => this.#act('retry', [...this.#chosen]));
  #discard = element('button', { type: 'button', onclick: () => this.#confirmDiscard() }, say('admin.discard'));
  #retryAll = this.#button('admin.retry-all', () => this.#retryEach());
  #more = this.#button('more', () => this.#load(this.#next));

  constructor(board) {
    this.#board = board;
    this.root = element(
      'section.dead', {}, element('h2', {}, say('admin.dead')),
      element('div.dead-tools', {}, element('label', { for: 'dead-reason' }, say('admin.reason')), this.#reason,
        this.#retry, this.#discard, this.#retryAll),
      this.#trouble, this.#empty, this.#table.root, this.#more);
    this.#redraw();
  }

  /** Loads the posts again if the counts by reason have changed. */
  show(status) {
    const counts = JSON.stringify(status.deadByReason);
    if (counts === this.#shownCounts) return;
    this.#shownCounts = counts;
    const chosen = this.#reason.value;
    this.#reason.replaceChildren(
      element('option', { value: '' }, `${say('admin.any')} (${count(status.dead)})`),
      ...status.deadByReason.map(({ reason, count: number }) =>
        element('option', { value: reason, selected: reason === chosen }, `${reason} (${count(number)})`)));
    this.#load(null);
  }

  #button(text, run) {
    const button = element('button', { type: 'button', onclick: () => busy(button, run) }, say(text));
    return button;
  }

  async #load(after) {
    const query = new URLSearchParams({ state: 'dead', limit: pageSize });
    if (this.#reason.value) query.set('reason', this.#reason.value);
    if (after !== null) query.set('after', after);
    await this.#attempt(async () => {
      const { posts, next = null } = await this.#board.request('GET', `/v2/admin/posts?${query}`);
      this.#posts = after === null ? posts : [...this.#posts, ...posts];
      this.#next = next;
      this.#chosen = new Set(this.#posts.map(({ id }) => id).filter((id) => this.#chosen.has(id)));
      this.#redraw();
    });
  }

  #redraw() {
    this.#table.show(this.#posts.map((post) => this.#row(post)));
    this.#table.root.hidden = !this.#posts.length;
    this.#empty.textContent = this.#posts.length ? '' : say('admin.dead.none');
    this.#more.hidden = this.#next === null;
    this.#retryAll.disabled = !this.#posts.length;
    this.#count();
  }

  #row(post) {
    const box = element('input', {
      type: 'checkbox', 'aria-label': say('admin.select', { place: post.place }), onchange: () => {
        if (box.checked) this.#chosen.add(post.id);
        else this.#chosen.delete(post.id);
        this.#count();
      } });
    box.checked = this.#chosen.has(post.id);
    return { chooser: element('label', {}, box), values: [
      element('button.plain', { type: 'button', onclick: () => this.#showHistory(post.id) }, post.place),
      [post.reason?.code ?? '', element('div.quiet', {}, post.reason?.detail ?? '')],
      count(post.failedAttempts),
      element('time', { datetime: post.updatedAt }, moment(Date.parse(post.updatedAt)))] };
  }

  #count() {
    const isEmpty = this.#chosen.size === 0;
    [this.#retry.disabled, this.#discard.disabled] = [isEmpty, isEmpty];
    this.#all.checked = !isEmpty && this.#chosen.size === this.#posts.length;
    this.#all.indeterminate = !isEmpty && this.#chosen.size < this.#posts.length;
  }

  #chooseAll() {
    this.#chosen = new Set(this.#all.checked ? this.#posts.map(({ id }) => id) : []);
    this.#redraw();
  }

  /** @param {string} action `retry` or `discard`. */
  async #act(action, ids) {
    await this.#attempt(async () => {
      const { changed, unchanged } = await this.#board.request('POST', `/v2/admin/posts/${action}`, { ids });
      toast(say(`admin.done.${action}`, { n: changed.length })
        + (unchanged.length ? ` ${say('admin.unchanged', { n: unchanged.length })}` : ''));
      await this.#board.refresh();
    });
  }

  /** Retries all dead posts, or all with the selected reason, page by page. */
  async #retryEach() {
    const reason = this.#reason.value || undefined;
    await this.#attempt(async () => {
      let [after, retried] = [undefined, 0];
      do {
        const body = { all: true, reason, after };
        const { changed, next } = await this.#board.request('POST', '/v2/admin/posts/retry', body);
        [after, retried] = [next, retried + changed.length];
      } while (after !== undefined);
      toast(say('admin.done.retry', { n: retried }));
      await this.#board.refresh();
    });
  }

  /** Asks for a confirmation, because a discard cannot be undone. */
  async #confirmDiscard() {
    const ids = [...this.#chosen];
    const dialog = new Dialog(say('admin.discard.title', { n: ids.length }), 'discard');
    let isConfirmed = false;
    const confirmButton = element('button.primary', { type: 'button', onclick: () => {
      isConfirmed = true;
      dialog.close();
    } }, say('admin.discard'));
    dialog.body.append(element('p', {}, say('admin.discard.more')), element('div.actions', {},
      element('button', { type: 'button', onclick: () => dialog.close() }, say('cancel')), confirmButton));
    await dialog.show();
    if (isConfirmed) await busy(this.#discard, () => this.#act('discard', ids));
  }

  /** Shows the events of a post, oldest first. */
  async #showHistory(id) {
    await this.#attempt(async () => {
      const post = await this.#board.request('GET', `/v2/admin/posts/${encodeURIComponent(id)}`);
      const dialog = new Dialog(post.place, 'history');
      const event = (name) => (has(`event.${name}`) ? say(`event.${name}`) : name);
      dialog.body.append(
        element('p.quiet', {}, [post.id, post.link].filter(Boolean).join(' · ')),
        element('ol.history-list', {}, ...post.history.map((entry) => element('li', {},
          element('time.quiet', { datetime: entry.at }, moment(Date.parse(entry.at))), ` ${event(entry.event)}`,
          entry.code ? element('div.quiet', {}, [entry.code, entry.detail].filter(Boolean).join(': ')) : null))));
      await dialog.show();
    });
  }

  async #attempt(body) {
    this.#trouble.textContent = '';
    try {
      await body();
    } catch (error) {
      if (!(error instanceof Cancelled)) this.#trouble.replaceChildren(explain(error));
    }
  }
}
