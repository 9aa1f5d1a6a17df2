import { Cancelled, Offline, Problem } from '../common/api.js';

const everyMs = 2_000;
const hourMs = 3_600_000;

/**
 * The operators' data: the queue's current status, and its samples of the last hour. Polls every two seconds while the
 * page is visible. Fires `change`. `state` is `connecting`, `live`, `offline`, or `operators-only` if no operator is
 * signed in.
 */
export class Board extends EventTarget {
  #session;
  #run = 0;

  state = 'connecting';
  /** The body of GET /v2/admin/status. Null while it is unknown. */
  status = null;
  /** The samples of GET /v2/admin/history, oldest first. */
  samples = [];

  constructor(session) {
    super();
    this.#session = session;
    document.addEventListener('visibilitychange', () => { if (!document.hidden) this.restart(); });
  }

  /** Polls immediately, and then every two seconds. */
  async restart() {
    const run = ++this.#run;
    while (run === this.#run && !document.hidden) {
      await this.refresh();
      if (this.state === 'operators-only') return;
      await new Promise((resolve) => { setTimeout(resolve, everyMs); });
    }
  }

  /** Polls once. */
  async refresh() {
    if (this.#session.account === null) {
      this.#clear();
      return;
    }
    try {
      const since = this.samples.at(-1)?.unixMs ?? -1;
      const [status, history] = await Promise.all([
        this.request('GET', '/v2/admin/status'), this.request('GET', `/v2/admin/history?since=${since + 1}`)]);
      this.status = status;
      const samples = history.samples.filter(({ unixMs }) => unixMs > (this.samples.at(-1)?.unixMs ?? -1));
      // The device's clock may be wrong, so the server's latest sample ends the hour.
      const all = [...this.samples, ...samples];
      this.samples = all.filter(({ unixMs }) => unixMs > all.at(-1).unixMs - hourMs);
      this.state = 'live';
    } catch (error) {
      if (error instanceof Cancelled || error.code === 'operator_required') {
        this.#clear();
        return;
      }
      if (!(error instanceof Offline) && !(error instanceof Problem)) throw error;
      this.state = 'offline';
    }
    this.dispatchEvent(new Event('change'));
  }

  /** Sends a request with the operator's session, and returns the body. Throws like `Session.request`. */
  async request(method, path, body) {
    return (await this.#session.request(method, path, body === undefined ? {} : { body })).body;
  }

  /** Removes all data that the current user may not see. */
  #clear() {
    [this.state, this.status, this.samples] = ['operators-only', null, []];
    this.dispatchEvent(new Event('change'));
  }
}
