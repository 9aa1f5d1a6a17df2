// Follows the feed over HTTP (server-sent events), with nothing but Node 18 or later:
//
//     node stream.mjs [URL]             URL is http://127.0.0.1:8081/v2/feed/stream unless given
//     node stream.mjs 'http://127.0.0.1:8081/v2/feed/stream?country=CR,US'
//
// It is written from the feed's OpenAPI document (/openapi of the feed) alone. Each change prints a line with the list's
// hash, which the program has computed and found equal to the feed's. After a break the stream goes on behind the last
// event that was read (Last-Event-ID); where that is not possible the feed sends the whole list.

const LIST_MAX = 100, SILENCE_MS = 30_000 /* a heartbeat comes every 10 s */, PAUSE_MS = 1_000, PAUSE_MAX_MS = 30_000;

/** A request that the feed refuses as long as it is the same. */
class Refused extends Error {}

/** The list, or the part of it that passes the URL's filter. */
class Replica {
  epoch = '';
  seq = 0;
  entries = [];
  hash = '';

  /** Takes the whole list. Throws where its hash is not that of the entries, as `apply` does. */
  replace({ epoch, seq, stateHash, entries }) {
    entries = entries.slice(0, LIST_MAX);
    if (stateHash !== hash(entries)) throw new Error('state hash mismatch');
    Object.assign(this, { epoch, seq, entries, hash: stateHash });
  }

  /** Takes a change; returns the posts that are new or edited, newest first. */
  apply({ epoch, prevSeq, seq, stateHash, upsert, remove }) {
    // Numbers may skip, with a filter too; but each event names the one before it.
    if (epoch !== this.epoch || prevSeq !== this.seq) throw new Error('an event is missing');
    const gone = new Set([...remove, ...upsert.map((entry) => entry.id)]);
    const entries = [...this.entries.filter((entry) => !gone.has(entry.id)), ...upsert];
    entries.sort((one, other) => other.seq - one.seq).splice(LIST_MAX);
    if (stateHash !== hash(entries)) throw new Error('state hash mismatch');
    const news = upsert.filter((entry) => entry.seq > this.seq).reverse(); // the others are back on the list
    Object.assign(this, { seq, entries, hash: stateHash });
    return news;
  }
}

/** FNV-1a, 64 bits, of ids and numbers. */
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

/** The events of a stream, as https://html.spec.whatwg.org/multipage/server-sent-events.html says. */
async function* events(body, heard) {
  const decoder = new TextDecoder();
  let text = '', event = { type: 'message', data: [] };
  for await (const chunk of body) {
    heard();
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
      if (event.retry) { // counts without data too
        yield { retry: event.retry };
        delete event.retry;
      }
    }
  }
}

/** What people typed must not steer the terminal. */
const say = (text) => console.log(text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '?'));
const shown = (entry) => `${entry.firstName} ${entry.lastName}, ${entry.label}: ${entry.link}`;

const url = process.argv[2] ?? 'http://127.0.0.1:8081/v2/feed/stream';
const replica = new Replica();
let lastID = '', stale = false, pause = PAUSE_MS, tries = 0;

function take({ type, data, id }) {
  const told = JSON.parse(data);
  const count = () => `seq ${replica.seq}: ${replica.entries.length} posts, hash ${replica.hash}; `;
  if (type === 'snapshot') {
    replica.replace(told);
    say(`the list, ${count()}` + (replica.entries.length ? shown(replica.entries[0]) : 'none yet'));
  } else if (type === 'delta') {
    const news = replica.apply(told);
    say(count() + (news.map(shown).join('; ') || 'no new post'));
  }
  if (told.stale !== undefined && told.stale !== stale) {
    stale = told.stale;
    say(stale ? 'delayed: the feed cannot reach ingest' : 'the feed reaches ingest again');
  }
  lastID = id ?? lastID;
}

/** Reads one connection to its end, whatever that is. */
async function read() {
  const stop = new AbortController();
  let timer;
  const heard = () => {
    clearTimeout(timer);
    timer = setTimeout(() => stop.abort(new Error('no byte from the feed')), SILENCE_MS);
  };
  heard();
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
    for await (const event of events(response.body, heard)) {
      if (event.retry) {
        pause = Math.min(event.retry, PAUSE_MAX_MS);
        continue;
      }
      try {
        take(event);
      } catch (error) {
        lastID = ''; // the whole list, please
        throw error;
      }
      tries = 0;
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
    say(`refused: ${error.message}`);
    process.exit(1);
  }
  say(`reconnecting: ${error.cause?.message ?? error.message}; the list may be old`);
  const most = Math.min(pause * 2 ** tries, PAUSE_MAX_MS);
  tries = Math.min(tries + 1, 10);
  // Half of it random: a thousand others may have lost the same.
  await new Promise((resolve) => setTimeout(resolve, most * (0.5 + Math.random() / 2)));
}
