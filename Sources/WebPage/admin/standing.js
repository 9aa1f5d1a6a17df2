import { moment, say } from '../common/language.js';

/** A bar that is visible while the disk is full or nearly full, or the queue is paused. */
export class Standing {
  #bar;

  constructor(bar) { this.#bar = bar; }

  /** @param {?Object} status The body of GET /v2/admin/status. Null while it is unknown. */
  show(status) {
    const text = status === null ? '' : trouble(status);
    this.#bar.hidden = text === '';
    this.#bar.classList.toggle('danger', status !== null && status.disk.full);
    if (this.#bar.textContent !== text) this.#bar.textContent = text;
  }
}

function trouble({ disk, paused, pausedAt }) {
  if (disk.full) return say('admin.disk-full', { since: moment(Date.parse(disk.fullAt)) });
  return paused ? say('admin.paused-since', { since: moment(Date.parse(pausedAt)) }) : '';
}
