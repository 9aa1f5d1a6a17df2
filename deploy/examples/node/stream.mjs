// Follows the feed over HTTP (server-sent events). Requires only Node 18 or later:
//
//     node stream.mjs [URL]             default: http://127.0.0.1:8081/v2/feed/stream
//     node stream.mjs 'http://127.0.0.1:8081/v2/feed/stream?country=CR,US'
//
// The program is written from the feed's OpenAPI document (/openapi of the feed) alone. It prints a line for each
// change with the list's hash, which it compares with the feed's. After an interruption the stream resumes after the
// last event (Last-Event-ID). If that is impossible, the feed sends the whole list.

const LIST_MAX = 100, SILENCE_MS = 30_000 /* a heartbeat comes every 10 s */, PAUSE_MS = 1_000, PAUSE_MAX_MS = 30_000;

/** The feed refuses the request permanently. */
class Refused extends Error {}

/** The list, or the entries that match the URL's filter. */
class Replica {
  epoch = '';
  seq = 0;
  entries = [];
  hash = '';

  /** Replaces the list. Throws if the hash does not match, as `apply` does. */
  replace({ epoch, seq, stateHash, entries }) {
    entries = entries.slice(0, LIST_MAX);
    if (stateHash !== hash(entries)) throw new Error('state hash mismatch');
    Object.assign(this, { epoch, seq, entries, hash: stateHash });
  }

  /** Applies a change. Returns the new and edited posts, newest first. */
  apply({ epoch, prevSeq, seq, stateHash, upsert, remove }) {
    // Sequence numbers may have gaps, but each event names the previous one.
    if (epoch !== this.epoch || prevSeq !== this.seq) throw new Error('an event is missing');
    const replaced = new Set([...remove, ...upsert.map((entry) => entry.id)]);
    const entries = [...this.entries.filter((entry) => !replaced.has(entry.id)), ...upsert];
    entries.sort((one, other) => other.seq - one.seq).splice(LIST_MAX);
    if (stateHash !== hash(entries)) throw new Error('state hash mismatch');
    const newPosts = upsert.filter((entry) => entry.seq > this.seq).reverse(); // the others return to the list
    Object.assign(this, { seq, entries, hash: stateHash });
    return newPosts;
  }
}

/** Returns the list's hash: FNV-1a, 64 bits, over ids and sequence numbers. */
function hash(entries) {
  let value = 14695981039346656037n;
  for (const { id, seq } of entries) {
    const bytes = Buffer.alloc(18);
    bytes.write(id, 'latin1');
    bytes.writeBigUInt64LE(BigInt(seq), 10);
    for (const byte of bytes) value = BigInt.asUintN(64, (value ^ BigInt(byte)) * 1099511628211n);
  }
  return value.toString(16).padStart(16, '0');
}

/** Yields the events of a stream (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
async function* events(body, onData) {
  const decoder = new TextDecoder();
  let text = '', event = { type: 'message', data: [] };
  for await (const chunk of body) {
    onData();
    text += decoder.decode(chunk, { stream: true });
    // A CR at the end may be half of a CRLF.
    for (let end; (end = /\r\n|\n|\r(?!$)/.exec(text)); ) {
      const line = text.slice(0, end.index);
      text = text.slice(end.index + end[0].length);
      const [, name, value] = /^([^:]*):? ?(.*)$/s.exec(line);
      if (line === '') {
        if (event.data.length) yield { ...event, data: event.data.join('\n') };
        event = { type: 'message', data: [] };
      } else if (name === 'data') event.data.push(value);
      else if (name === 'event') event.type = value;
      else if (name === 'id') event.id = value;
      else if (name === 'retry' && /^\d+$/.test(value)) event.retry = Number(value);
      if (event.retry) { // valid without data too
        yield { retry: event.retry };
        delete event.retry;
      }
    }
  }
}

/** Prints a line, without control characters that users may have typed. */
const print = (text) => console.log(text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '?'));
const shown = (entry) => `${entry.firstName} ${entry.lastName}, ${entry.label}: ${entry.link}`;

const url = process.argv[2] ?? 'http://127.0.0.1:8081/v2/feed/stream';
const replica = new Replica();
let lastID = '', stale = false, pause = PAUSE_MS, attempts = 0;

/** Handles an event. */
function handle({ type, data, id }) {
  const content = JSON.parse(data);
  const count = () => `seq ${replica.seq}: ${replica.entries.length} posts, hash ${replica.hash}; `;
  if (type === 'snapshot') {
    replica.replace(content);
    print(`the list, ${count()}` + (replica.entries.length ? shown(replica.entries[0]) : 'none yet'));
  } else if (type === 'delta') {
    const newPosts = replica.apply(content);
    print(count() + (newPosts.map(shown).join('; ') || 'no new post'));
  }
  if (content.stale !== undefined && content.stale !== stale) {
    stale = content.stale;
    print(stale ? 'delayed: the feed cannot reach ingest' : 'the feed reaches ingest again');
  }
  lastID = id ?? lastID;
}

/** Reads one connection until it ends or fails. */
async function read() {
  const stop = new AbortController();
  let timer;
  const onData = () => {
    clearTimeout(timer);
    timer = setTimeout(() => stop.abort(new Error('no byte from the feed')), SILENCE_MS);
  };
  onData();
  try {
    const headers = { Accept: 'text/event-stream', ...(lastID && { 'Last-Event-ID': lastID }) };
    const response = await fetch(url, { headers, signal: stop.signal, cache: 'no-store' });
    if (response.status !== 200) {
      const { detail } = await response.json().catch(() => ({}));
      const seconds = Number(response.headers.get('retry-after'));
      if (!seconds && response.status < 500) throw new Refused(detail ?? `HTTP ${response.status}`);
      pause = Math.min(Math.max(pause, seconds * 1_000), PAUSE_MAX_MS);
      throw new Error(detail ?? `HTTP ${response.status}`);
    }
    for await (const event of events(response.body, onData)) {
      if (event.retry) {
        pause = Math.min(event.retry, PAUSE_MAX_MS);
        continue;
      }
      try {
        handle(event);
      } catch (error) {
        lastID = ''; // request the whole list
        throw error;
      }
      attempts = 0;
    }
    throw new Error('the feed has ended the stream');
  } finally {
    clearTimeout(timer);
    stop.abort();
  }
}

for (;;) {
  const error = await read().catch((error) => error);
  if (error instanceof Refused) {
    print(`refused: ${error.message}`);
    process.exit(1);
  }
  print(`reconnecting: ${error.cause?.message ?? error.message}; the list may be old`);
  const most = Math.min(pause * 2 ** attempts, PAUSE_MAX_MS);
  attempts = Math.min(attempts + 1, 10);
  // Half of the pause is random, because many clients lose a feed together.
  await new Promise((resolve) => setTimeout(resolve, most * (0.5 + Math.random() / 2)));
}
