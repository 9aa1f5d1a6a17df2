import { moment, say } from '../common/language.js';
import { duration } from '../common/quantity.js';

const none = { text: '', isDanger: false };

/** A bar that is visible while the disk is full or nearly full, the queue is paused, or ingest refuses posts. */
export class Standing {
  #bar;

  constructor(bar) { this.#bar = bar; }

  /** @param {?Object} status The body of GET /v2/admin/status. Null while it is unknown. */
  show(status) {
    const { text, isDanger } = status === null ? none : trouble(status);
    this.#bar.hidden = text === '';
    this.#bar.classList.toggle('danger', isDanger);
    if (this.#bar.textContent !== text) this.#bar.textContent = text;
  }
}

/** Returns the text of the bar. `isDanger` is true if ingest refuses posts. */
function trouble({ disk, paused, pausedAt, pausedBy, longestWaitMs, waitMaxMs }) {
  const since = (time) => ({ since: moment(Date.parse(time)) });
  if (disk.full) return { text: say('admin.disk-full', since(disk.fullAt)), isDanger: true };
  if (paused) {
    const key = pausedBy === undefined ? 'admin.paused-since' : 'admin.paused-by';
    return { text: say(key, { ...since(pausedAt), name: pausedBy }), isDanger: false };
  }
  if (longestWaitMs < waitMaxMs) return none;
  // The text omits the present wait, because screen readers announce each change.
  return { text: say('admin.refusing', { limit: duration(waitMaxMs) }), isDanger: true };
}
