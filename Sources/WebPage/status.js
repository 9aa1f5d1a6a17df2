import { request, server } from './common/api.js';

const minuteMs = 60_000;
/** Intervals of the requests for the page's setting in states that end soon, in milliseconds. */
const soonMs = { offline: 3_000, paused: 10_000, delayed: 10_000 };
/** States in which the list equals the server's. */
const current = ['live', 'polling', 'reconnecting', 'paused'];

/**
 * The state of the page, as the header, the dialogs and the operator's page show it. It merges the state of a source,
 * which is the map's connection or the operator's board, with the result of every request and with the operator's
 * pause. Fires `change`, and `setting` with each body of GET /v2/page.
 *
 * `state` is the source's state, except:
 *
 * - `offline`: the last request got no answer
 * - `paused`: the operator has paused the queue
 */
export class Status extends EventTarget {
  #source = { state: 'connecting' };
  #isReachable = true;
  #timer = null;

  state = 'connecting';
  /** Start of the operator's pause, as the server reports it. Null if there is no pause. */
  pausedAt = null;
  /** Time of the list that the page shows, in milliseconds since 1970. Null for the server's list or no list. */
  listMs = null;

  constructor() {
    super();
    server.addEventListener('reachable', () => this.#reach(true));
    server.addEventListener('unreachable', () => this.#reach(false));
    server.addEventListener('paused', () => { if (this.pausedAt === null) this.#ask(); });
    document.addEventListener('visibilitychange', () => { if (!document.hidden) this.#ask(); });
  }

  /** Interval between two polls of the source, in seconds. */
  get pollSeconds() { return this.#source.pollSeconds; }

  /** Returns the body of GET /v2/page, or a substitute if the server does not answer. Waits if there is none. */
  async setting(substitute = () => null) {
    return await this.#ask() ?? substitute() ?? new Promise((resolve) => {
      this.addEventListener('setting', ({ detail }) => resolve(detail), { once: true });
    });
  }

  /** Follows the state of a source. It fires `change`. */
  follow(source) {
    this.#source = source;
    source.addEventListener('change', () => this.#merge());
    this.#merge();
  }

  /** Sets the time of a list that the page shows from an earlier start. */
  keep(listMs) {
    this.listMs = listMs;
    this.#merge(true);
  }

  /** Sets the start of the operator's pause, or null. */
  pause(pausedAt) {
    if (pausedAt === this.pausedAt) return;
    this.pausedAt = pausedAt;
    this.#merge(true);
  }

  #reach(isReachable) {
    this.#isReachable = isReachable;
    this.#merge();
  }

  #merge(hasChanged = false) {
    const state = this.#merged();
    if (state === this.state && !hasChanged) return;
    if (current.includes(state)) this.listMs = null;
    else if (current.includes(this.state)) this.listMs = Date.now();
    const isDelayed = state === 'delayed' && this.state !== state;
    this.state = state;
    this.dispatchEvent(new Event('change'));
    // The feed reports a delay before any request fails. The answer shows whether ingest is away.
    if (isDelayed) this.#ask();
    else this.#schedule();
  }

  #merged() {
    const { state } = this.#source;
    if (!this.#isReachable) return 'offline';
    if (state === 'hidden') return 'connecting';
    return this.pausedAt !== null && ['live', 'polling'].includes(state) ? 'paused' : state;
  }

  #schedule() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (document.hidden) this.#schedule();
      else this.#ask();
    }, soonMs[this.state] ?? minuteMs);
  }

  /** Loads the page's setting. Returns null on failure. */
  async #ask() {
    clearTimeout(this.#timer);
    let body = null;
    try {
      ({ body } = await request('GET', '/v2/page'));
    } catch {
      // The request has already reported its result to this object.
    }
    if (body !== null) {
      this.pause(body.pausedAt ?? null);
      this.dispatchEvent(new CustomEvent('setting', { detail: body }));
    }
    this.#schedule();
    return body;
  }
}
