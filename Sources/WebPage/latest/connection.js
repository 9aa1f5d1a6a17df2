import { Problem, request } from '../common/api.js';

const pollMs = 3_000;
const retryMs = { first: 1_000, last: 20_000 };
/** The time until the first message of a stream. A reverse proxy that buffers the stream may hold it back forever. */
const firstMs = 7_000;
const silenceMs = 30_000;
const hiddenMs = 60_000;
/** States that the result of a poll does not change. */
const unpolled = ['live', 'delayed', 'hidden', 'members-only'];

/**
 * Keeps the list equal to the server's. Subscribes to the feed, or polls ingest every 3 s, and recovers from errors by
 * itself. `state` is one of:
 *
 * - `connecting`: no connection yet
 * - `live`: the feed sends every change
 * - `delayed`: the feed is connected but has received nothing from ingest for a while
 * - `reconnecting`: the feed is unreachable or sends nothing, so the page polls ingest
 * - `polling`: the page knows no feed, so it polls ingest
 * - `hidden`: the page is hidden
 * - `offline`: no server responds
 * - `members-only`: the map is members-only, and nobody is signed in
 */
export class Connection extends EventTarget {
  #latest;
  #stream = null;
  #address;
  #ticket;
  #lastEventId = '';
  #lastReceivedMs = 0;
  #failures = 0;
  #attempt = 0;
  #polling = null;
  #retry = null;
  #first = null;
  #hiding = null;

  state = 'connecting';
  /** Interval between two polls, in seconds. */
  pollSeconds = pollMs / 1_000;

  /**
   * @param {Latest} latest Receives the list and its changes.
   * @param {string|null} feed The feed's origin. Null if the page does not know it.
   * @param {function(): Promise<string|null>} ticket Returns the feed's ticket if the map is members-only, else null.
   */
  constructor(latest, feed, ticket) {
    super();
    [this.#latest, this.#ticket] = [latest, ticket];
    this.#address = feed === null ? null : `${feed}/v2/feed/stream`;
    // After the loss of the network, a dead connection reports no error for minutes.
    addEventListener('offline', () => this.#lose());
    addEventListener('online', () => this.refresh());
    document.addEventListener('visibilitychange', () => this.#followVisibility());
    setInterval(() => this.#checkSilence(), silenceMs / 3);
  }

  /** Connects, and reconnects until the page closes or `shut` is called. */
  start() {
    if (this.state === 'members-only') this.#set('connecting');
    if (this.#address === null) this.#poll();
    else this.#begin();
  }

  /** Loads the list, which the document preloads. Then subscribes to the changes after it. */
  async #begin() {
    this.#close();
    const attempt = this.#attempt;
    await this.#load().catch(() => {});
    // Meanwhile the page may have been hidden, or a refresh may have opened the stream.
    if (attempt === this.#attempt) this.#open();
  }

  /** Disconnects and clears the list, because the current user may not see the map. */
  shut() {
    clearTimeout(this.#retry);
    this.#close();
    this.#stopPolling();
    this.#lastEventId = '';
    this.#latest.clear();
    this.#set('members-only');
  }

  /** Loads the whole list now. Resolves to true on success. */
  async refresh() {
    const isLoaded = await this.#fetch();
    if (isLoaded && this.#address !== null && this.#stream === null) this.#open();
    return isLoaded;
  }

  #set(state) {
    if (state === this.state) return;
    this.state = state;
    this.dispatchEvent(new Event('change'));
  }

  async #open() {
    clearTimeout(this.#retry);
    this.#close();
    const attempt = ++this.#attempt;
    this.#first = setTimeout(() => this.#lose(), firstMs);
    let ticket;
    try {
      ticket = await this.#ticket();
    } catch {
      if (attempt === this.#attempt) this.#lose();
      return;
    }
    if (attempt !== this.#attempt || this.state === 'members-only' || this.state === 'hidden') return;
    const address = new URL(this.#address, location.href);
    if (ticket !== null) address.searchParams.set('ticket', ticket);
    if (this.#lastEventId) address.searchParams.set('lastEventId', this.#lastEventId);
    const stream = new EventSource(address);
    this.#stream = stream;
    this.#lastReceivedMs = performance.now();
    const on = (name, handle) => stream.addEventListener(name, (event) => {
      clearTimeout(this.#first);
      this.#lastReceivedMs = performance.now();
      if (event.lastEventId) this.#lastEventId = event.lastEventId;
      handle(JSON.parse(event.data));
    });
    on('snapshot', (list) => this.#handle(this.#latest.replace(list), list.stale));
    on('delta', (delta) => this.#handle(this.#latest.apply(delta)));
    on('stale', ({ stale }) => this.#handle(true, stale));
    stream.addEventListener('error', () => this.#lose());
  }

  /** Updates the state after a message. If the list is wrong, the stream restarts with a snapshot. */
  #handle(isRight, isStale = this.state === 'delayed') {
    if (!isRight) {
      this.#lastEventId = '';
      this.#lose();
      return;
    }
    this.#failures = 0;
    this.#stopPolling();
    this.#set(isStale ? 'delayed' : 'live');
  }

  /** Reconnects after a pause. The browser's own retry does not follow every error, and reports no progress. */
  #lose() {
    this.#close();
    if (this.state === 'hidden' || this.state === 'members-only') return;
    if (this.state === 'live' || this.state === 'delayed') this.#set('reconnecting');
    if (this.#polling === null) this.#poll();
    const ms = Math.min(retryMs.last, retryMs.first * 2 ** this.#failures++);
    clearTimeout(this.#retry);
    // Without jitter, all pages would reconnect to a restarted feed at the same moment.
    this.#retry = setTimeout(() => this.#open(), ms * (0.5 + Math.random()));
  }

  #close() {
    this.#attempt += 1;
    clearTimeout(this.#first);
    this.#stream?.close();
    this.#stream = null;
  }

  #poll(ms = 0) {
    const timer = setTimeout(async () => {
      await this.#fetch();
      if (this.#polling === timer) this.#poll(pollMs);
    }, ms);
    this.#polling = timer;
  }

  #stopPolling() {
    clearTimeout(this.#polling);
    this.#polling = null;
  }

  async #load() {
    const { body } = await request('GET', '/v2/feed');
    if (this.state === 'members-only') return false;
    const isBehind = body.epoch === this.#latest.epoch && body.seq < this.#latest.seq;
    if (!isBehind && !this.#latest.replace(body)) throw new Error('list hash mismatch');
    // The list contains all changes up to this `seq`, so the stream must resume after it.
    if (!isBehind) this.#lastEventId = `${body.epoch}-${body.seq}`;
    return true;
  }

  async #fetch() {
    try {
      if (!await this.#load()) return false;
      if (!unpolled.includes(this.state)) this.#set(this.#address === null ? 'polling' : 'reconnecting');
      return true;
    } catch (error) {
      if (error instanceof Problem && error.status === 401) this.shut();
      else if (!unpolled.includes(this.state)) this.#set('offline');
      return false;
    }
  }

  /** Compares the list of a silent stream with ingest's, because a connection may be dead without an error. */
  async #checkSilence() {
    if (this.#stream === null || performance.now() - this.#lastReceivedMs < silenceMs) return;
    this.#lastReceivedMs = performance.now();
    const { epoch, seq } = this.#latest;
    try {
      const { body } = await request('GET', '/v2/feed');
      if (this.#latest.epoch === epoch && this.#latest.seq === seq && (body.epoch !== epoch || body.seq > seq)) {
        this.#lose();
      }
    } catch {
      // The comparison is optional. The stream itself reports failures of the feed.
    }
  }

  /**
   * Closes the stream of a page that has been hidden for a minute. A browser allows only six connections to a host, for
   * all tabs together.
   */
  #followVisibility() {
    clearTimeout(this.#hiding);
    if (document.hidden) {
      this.#hiding = setTimeout(() => {
        if (this.state === 'members-only') return;
        clearTimeout(this.#retry);
        this.#close();
        this.#stopPolling();
        this.#set('hidden');
      }, hiddenMs);
    } else if (this.state === 'hidden') {
      this.#set('connecting');
      this.start();
    }
  }
}
