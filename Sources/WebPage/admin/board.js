import { Cancelled, Offline, Problem } from '../common/api.js';

const everyMs = 2_000;
const hourMs = 3_600_000;

/**
 * What an operator sees: the queue as it stands, and as it stood over the last hour. Asks every two seconds while the
 * page is looked at. Tells `change`; `state` is `connecting`, `live`, `offline`, or `shut` where nobody is signed in
 * who may see it.
 */
export class Board extends EventTarget {
  #session;
  #turn = 0;

  state = 'connecting';
  /** As GET /v2/admin/status has it; null while it is not known. */
  status = null;
  /** As GET /v2/admin/history has them, oldest first. */
  samples = [];

  constructor(session) {
    super();
    this.#session = session;
    document.addEventListener('visibilitychange', () => { if (!document.hidden) this.restart(); });
  }

  /** Asks at once, and goes on asking. */
  async restart() {
    const turn = ++this.#turn;
    while (turn === this.#turn && !document.hidden) {
      await this.refresh();
      if (this.state === 'shut') return;
      await new Promise((resolve) => { setTimeout(resolve, everyMs); });
    }
  }

  /** Asks now. */
  async refresh() {
    if (this.#session.account === null) {
      this.#shut();
      return;
    }
    try {
      const since = this.samples.at(-1)?.at ?? -1;
      const [status, history] = await Promise.all([
        this.ask('GET', '/v2/admin/status'), this.ask('GET', `/v2/admin/history?since=${since + 1}`)]);
      this.status = status;
      const samples = history.samples.filter(({ at }) => at > (this.samples.at(-1)?.at ?? -1));
      this.samples = [...this.samples, ...samples].filter(({ at }) => at > Date.now() - hourMs);
      this.state = 'live';
    } catch (error) {
      if (error instanceof Cancelled || error.code === 'operator_required') {
        this.#shut();
        return;
      }
      if (!(error instanceof Offline) && !(error instanceof Problem)) throw error;
      this.state = 'offline';
    }
    this.dispatchEvent(new Event('change'));
  }

  /** Asks the server as the operator; what it throws is `Session.ask`'s. */
  async ask(method, path, body) {
    return (await this.#session.ask(method, path, body === undefined ? {} : { body })).body;
  }

  /** What is not for whoever is here now is not left to be seen. */
  #shut() {
    [this.state, this.status, this.samples] = ['shut', null, []];
    this.dispatchEvent(new Event('change'));
  }
}
