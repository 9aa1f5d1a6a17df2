import { ask, Problem } from '../common/api.js';

const pollMs = 3_000;
const retryMs = { first: 1_000, last: 20_000 };
const silenceMs = 30_000;
const hiddenMs = 60_000;

/**
 * Keeps the list as it is at the server: told by the feed as it happens, or else asked for every few seconds. It mends
 * itself; `state` says how things stand:
 *
 * - `connecting`: nothing is known yet
 * - `live`: every change is told
 * - `stale`: the feed tells, but it has not heard from ingest for a while
 * - `polling`: the feed cannot be reached, ingest is asked instead
 * - `paused`: nobody looks at the page
 * - `offline`: nobody answers
 * - `shut`: the map is closed to whoever is here
 */
export class Connection extends EventTarget {
  #latest;
  #stream = null;
  #address;
  #ticket;
  #lastEventId = '';
  #heardMs = 0;
  #failures = 0;
  #attempt = 0;
  #polling = null;
  #retry = null;
  #away = null;

  state = 'connecting';

  /**
   * @param {Latest} latest takes what comes
   * @param {string|null} feed the feed's origin; null where the page has not been told one
   * @param {function(): Promise<string|null>} ticket what the feed wants where the map is closed; null where it is open
   */
  constructor(latest, feed, ticket) {
    super();
    [this.#latest, this.#ticket] = [latest, ticket];
    this.#address = feed === null ? null : `${feed}/v2/feed/stream`;
    // What is open when a network goes is dead, but says so only after minutes.
    addEventListener('offline', () => this.#lose());
    addEventListener('online', () => this.refresh());
    document.addEventListener('visibilitychange', () => this.#look());
    setInterval(() => this.#listen(), silenceMs / 3);
  }

  /** Begins, and goes on until the page is gone, or the map is shut. */
  start() {
    if (this.state === 'shut') this.#set('connecting');
    if (this.#address === null) this.#poll();
    else this.#open();
  }

  /** The map is not for whoever is here. */
  shut() {
    clearTimeout(this.#retry);
    this.#close();
    this.#stopPolling();
    this.#lastEventId = '';
    this.#latest.clear();
    this.#set('shut');
  }

  /** Asks for the whole list now, whatever is known. True where it came. */
  async refresh() {
    const came = await this.#fetch();
    if (came && this.#address !== null && this.#stream === null) this.#open();
    return came;
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
    let ticket;
    try {
      ticket = await this.#ticket();
    } catch {
      if (attempt === this.#attempt) this.#lose();
      return;
    }
    if (attempt !== this.#attempt || this.state === 'shut' || this.state === 'paused') return;
    const address = new URL(this.#address, location.href);
    if (ticket !== null) address.searchParams.set('ticket', ticket);
    if (this.#lastEventId) address.searchParams.set('lastEventId', this.#lastEventId);
    const stream = new EventSource(address);
    this.#stream = stream;
    const on = (name, take) => stream.addEventListener(name, (event) => {
      this.#heardMs = performance.now();
      if (event.lastEventId) this.#lastEventId = event.lastEventId;
      take(JSON.parse(event.data));
    });
    on('snapshot', (list) => this.#take(this.#latest.replace(list), list.stale));
    on('delta', (delta) => this.#take(this.#latest.apply(delta)));
    on('stale', ({ stale }) => this.#take(true, stale));
    stream.addEventListener('error', () => this.#lose());
  }

  /** What came was right, or the stream begins anew with the whole list. */
  #take(isRight, isStale = this.state === 'stale') {
    if (!isRight) {
      this.#lastEventId = '';
      this.#lose();
      return;
    }
    this.#failures = 0;
    this.#stopPolling();
    this.#set(isStale ? 'stale' : 'live');
  }

  /** The browser would try again by itself, but not after every error, and it would not say how it goes. */
  #lose() {
    this.#close();
    if (this.state === 'paused' || this.state === 'shut') return;
    if (this.state === 'live' || this.state === 'stale') this.#set('connecting');
    if (this.#polling === null) this.#poll();
    const ms = Math.min(retryMs.last, retryMs.first * 2 ** this.#failures++);
    clearTimeout(this.#retry);
    // Not all at once: a feed that comes back has everybody at its door.
    this.#retry = setTimeout(() => this.#open(), ms * (0.5 + Math.random()));
  }

  #close() {
    this.#attempt += 1;
    this.#stream?.close();
    this.#stream = null;
  }

  #poll() {
    this.#polling = setTimeout(async () => {
      await this.#fetch();
      if (this.#polling !== null) this.#poll();
    }, this.#polling === null ? 0 : pollMs);
  }

  #stopPolling() {
    clearTimeout(this.#polling);
    this.#polling = null;
  }

  async #fetch() {
    try {
      const { body } = await ask('GET', '/v2/feed');
      if (this.state === 'shut') return false;
      const isBehind = body.epoch === this.#latest.epoch && body.seq < this.#latest.seq;
      if (!isBehind && !this.#latest.replace(body)) throw new Error('the list is not what its hash says');
      // From here on: what the stream told before is a part of it.
      if (!isBehind) this.#lastEventId = `${body.epoch}-${body.seq}`;
      if (this.state !== 'live' && this.state !== 'stale') this.#set('polling');
      return true;
    } catch (error) {
      if (error instanceof Problem && error.status === 401) this.shut();
      else if (this.state !== 'live' && this.state !== 'stale') this.#set('offline');
      return false;
    }
  }

  /** A connection may be dead without a word. Whether the list is still the server's, ingest knows. */
  async #listen() {
    if (this.#stream === null || performance.now() - this.#heardMs < silenceMs) return;
    this.#heardMs = performance.now();
    const { epoch, seq } = this.#latest;
    try {
      const { body } = await ask('GET', '/v2/feed');
      if (this.#latest.epoch === epoch && this.#latest.seq === seq && (body.epoch !== epoch || body.seq > seq)) {
        this.#lose();
      }
    } catch {
      // The stream tells what is wrong with the feed; ingest alone is not missed.
    }
  }

  /** Who does not look needs no stream: a browser has six connections to a host, for all of its tabs. */
  #look() {
    clearTimeout(this.#away);
    if (document.hidden) {
      this.#away = setTimeout(() => {
        clearTimeout(this.#retry);
        this.#close();
        this.#stopPolling();
        this.#set('paused');
      }, hiddenMs);
    } else if (this.state === 'paused') {
      this.#set('connecting');
      this.start();
    }
  }
}
