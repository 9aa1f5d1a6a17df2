import { request, server } from './common/api.js';

const minuteMs = 60_000;
/** The time for the page's setting until a substitute takes its place, in milliseconds since the page was opened. */
const patienceMs = 3_000;
/** The part of this time that the request has at least, if the document was slow. */
const requestMs = 1_000;
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
 * - `offline`: the last request got no answer, or the page's setting did not come in time
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

  /**
   * Returns the body of GET /v2/page. Returns a substitute, and the page is offline, if the server does not answer in
   * time. Waits if there is no substitute.
   */
  async setting(substitute = () => null) {
    const ms = Math.max(requestMs, patienceMs - performance.now());
    const late = new Promise((resolve) => { setTimeout(resolve, ms, null); });
    const body = await Promise.race([this.#ask(), late]);
    if (body !== null) return body;
    const other = substitute();
    if (other === null) {
      return new Promise((resolve) => {
        this.addEventListener('setting', ({ detail }) => resolve(detail), { once: true });
      });
    }
    this.#reach(false);
    return other;
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
