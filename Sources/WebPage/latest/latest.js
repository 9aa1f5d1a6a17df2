import { stateHash } from './hash.js';

const most = 100;

/**
 * The latest posts of everybody, newest first: what map and table both show. It is the server's list as of `seq`, or it
 * says that it is not. Tells `change` with the ids that came or changed (`news`), and the ids that left (`gone`).
 */
export class Latest extends EventTarget {
  #entries = [];
  #hidden = new Set();

  /** Which history `seq` belongs to; null before the first list. */
  epoch = null;
  seq = 0;

  /** Those that are shown. */
  get entries() { return this.#entries.filter((entry) => !this.#hidden.has(entry.id)); }

  /** The entry of an id, if it is shown. */
  entry(id) {
    return this.#hidden.has(id) ? undefined : this.#entries.find((entry) => entry.id === id);
  }

  /** Takes a whole list, whatever there was. False, and nothing has changed, where it is not what it says. */
  replace({ epoch, seq, stateHash: hash, entries }) {
    if (stateHash(entries) !== hash) return false;
    const isFirst = this.epoch === null;
    const known = new Map(this.#entries.map((entry) => [entry.id, entry.seq]));
    const kept = new Set(entries.map((entry) => entry.id));
    if (this.epoch === epoch && this.seq === seq) return true;
    [this.epoch, this.seq, this.#entries] = [epoch, seq, entries.map(shown)];
    const news = isFirst ? [] : entries.filter((entry) => known.get(entry.id) !== entry.seq).map((entry) => entry.id);
    this.#tell(news, [...known.keys()].filter((id) => !kept.has(id)));
    return true;
  }

  /** Takes what has changed. False, and nothing has changed, where it does not follow: then a whole list is needed. */
  apply({ epoch, prevSeq, seq, stateHash: hash, upsert, remove }) {
    // Ingest was asked in between, and knew it already.
    if (epoch === this.epoch && seq <= this.seq) return true;
    if (epoch !== this.epoch || prevSeq !== this.seq) return false;
    const gone = new Set([...remove, ...upsert.map((entry) => entry.id)]);
    const entries = [...this.#entries.filter((entry) => !gone.has(entry.id)), ...upsert.map(shown)]
      .sort((one, other) => other.seq - one.seq);
    if (entries.length > most || stateHash(entries) !== hash) return false;
    [this.seq, this.#entries] = [seq, entries];
    this.#tell(upsert.filter((entry) => entry.seq > prevSeq).map((entry) => entry.id), remove);
    return true;
  }

  /** Knows nothing any more: whoever was here may not see it. */
  clear() {
    [this.epoch, this.seq, this.#entries] = [null, 0, []];
    this.#tell();
  }

  /** Shows a post no more, or again: while its deletion can be taken back. */
  hide(id, isHidden = true) {
    if (isHidden) this.#hidden.add(id);
    else this.#hidden.delete(id);
    this.#tell();
  }

  #tell(news = [], gone = []) {
    this.dispatchEvent(new CustomEvent('change', { detail: { news, gone } }));
  }
}

/** With what every view of it needs. */
function shown(entry) {
  return {
    ...entry,
    name: `${entry.firstName} ${entry.lastName}`.trim(),
    host: host(entry.link),
    updatedMs: Date.parse(entry.updatedAt),
  };
}

/** The host of a link that may be opened; null for what is none, which is text and nothing else. */
export function host(link) {
  try {
    const url = new URL(link);
    return ['http:', 'https:'].includes(url.protocol) ? url.host : null;
  } catch {
    return null;
  }
}
