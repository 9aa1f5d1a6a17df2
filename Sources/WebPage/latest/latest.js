import { host } from '../common/link.js';
import { stateHash } from './hash.js';

const capacity = 100;

/**
 * The list of the latest posts, newest first, for the map and the table. Equals the server's list at `seq`. Fires
 * `change` with the ids of new and changed posts (`changed`), and of removed posts (`removed`).
 */
export class Latest extends EventTarget {
  #entries = [];
  #hidden = new Set();

  /** The epoch of `seq`. Null before the first list. */
  epoch = null;
  seq = 0;

  /** The visible entries. */
  get entries() { return this.#entries.filter((entry) => !this.#hidden.has(entry.id)); }

  /** The list as `replace` takes it. */
  get list() {
    return { epoch: this.epoch, seq: this.seq, stateHash: stateHash(this.#entries), entries: this.#entries };
  }

  /** Returns the entry with an id, if it is visible. */
  entry(id) {
    return this.#hidden.has(id) ? undefined : this.#entries.find((entry) => entry.id === id);
  }

  /** Returns true for a published post that the list lacks because newer posts have taken its place. */
  isOlder({ id, seq }) {
    return seq <= this.seq && this.entry(id) === undefined;
  }

  /** Replaces the list by a snapshot. Returns false without a change if the hash does not match. */
  replace({ epoch, seq, stateHash: hash, entries }) {
    if (stateHash(entries) !== hash) return false;
    if (this.epoch === epoch && this.seq === seq) return true;
    const isFirst = this.epoch === null;
    const known = new Map(this.#entries.map((entry) => [entry.id, entry.seq]));
    const kept = new Set(entries.map((entry) => entry.id));
    [this.epoch, this.seq, this.#entries] = [epoch, seq, entries.map(presented)];
    const changed = isFirst ? [] : entries.filter(({ id, seq: now }) => known.get(id) !== now).map(({ id }) => id);
    this.#notify(changed, [...known.keys()].filter((id) => !kept.has(id)));
    return true;
  }

  /**
   * Applies a delta. Returns false without a change if the delta does not follow the list. The caller then needs a
   * snapshot.
   */
  apply({ epoch, prevSeq, seq, stateHash: hash, upsert, remove }) {
    // A poll of ingest has already brought this change.
    if (epoch === this.epoch && seq <= this.seq) return true;
    if (epoch !== this.epoch || prevSeq !== this.seq) return false;
    const replaced = new Set([...remove, ...upsert.map((entry) => entry.id)]);
    const entries = [...this.#entries.filter((entry) => !replaced.has(entry.id)), ...upsert.map(presented)]
      .sort((one, other) => other.seq - one.seq);
    if (entries.length > capacity || stateHash(entries) !== hash) return false;
    [this.seq, this.#entries] = [seq, entries];
    this.#notify(upsert.filter((entry) => entry.seq > prevSeq).map((entry) => entry.id), remove);
    return true;
  }

  /** Clears the list, because the current user may not see it. */
  clear() {
    [this.epoch, this.seq, this.#entries] = [null, 0, []];
    this.#notify();
  }

  /** Hides a post or shows it again, while its deletion can be undone. */
  hide(id, isHidden = true) {
    if (isHidden) this.#hidden.add(id);
    else this.#hidden.delete(id);
    this.#notify();
  }

  #notify(changed = [], removed = []) {
    this.dispatchEvent(new CustomEvent('change', { detail: { changed, removed } }));
  }
}

/** Returns an entry with the additional values that the views show. */
export function presented(entry) {
  return {
    ...entry,
    name: `${entry.firstName} ${entry.lastName}`.trim(),
    host: host(entry.link),
    updatedMs: Date.parse(entry.updatedAt),
  };
}
