import { element } from './element.js';
import { has, say } from './language.js';
import { phrase } from './phrase.js';
import { wait } from './quantity.js';

const timeoutMs = 20_000;
/** The time until the page repeats a request after an error response without `Retry-After`. */
const retrySeconds = 30;

/**
 * The page's own server. Fires `reachable` or `unreachable` after each request, and `paused` if a request failed
 * because the operator has paused the queue.
 */
export const server = new EventTarget();

/** An error response of the server. (RFC 9457.) */
export class Problem extends Error {
  constructor(status, body, retryAfter) {
    super(body.detail ?? '');
    this.status = status;
    this.code = body.code ?? 'internal_error';
    this.field = body.field ?? null;
    this.retryAfter = Number(retryAfter) || null;
  }
}

/** The error of a request that ingest has not answered: there is no connection, or ingest is down. */
export class Offline extends Error {}

/** The error of a request that the user has cancelled. */
export class Cancelled extends Error {}

/**
 * Sends a request to the page's own server. Throws `Problem`, `Offline`, or `Cancelled` if `signal` aborts.
 *
 * @returns {Promise<{status: number, body: any}>} The status, and the parsed body or null for a body without JSON.
 */
export async function request(method, path, options = {}) {
  try {
    const answer = await send(method, path, options);
    server.dispatchEvent(new Event('reachable'));
    return answer;
  } catch (error) {
    if (error instanceof Offline) server.dispatchEvent(new Event('unreachable'));
    if (error instanceof Problem) server.dispatchEvent(new Event('reachable'));
    if (error instanceof Problem && error.code === 'queue_paused') server.dispatchEvent(new Event('paused'));
    throw error;
  }
}

/**
 * Calls `run` once when a failed request may succeed: as soon as the server is reachable, or after the pause that its
 * error response asks for. Returns a function that cancels this.
 */
export function retryLater(error, run) {
  if (error instanceof Offline) {
    server.addEventListener('reachable', run, { once: true });
    return () => server.removeEventListener('reachable', run);
  }
  const timer = setTimeout(run, (error.retryAfter ?? retrySeconds) * 1_000);
  return () => clearTimeout(timer);
}

async function send(method, path, { body, headers = {}, signal, keepalive = false }) {
  const timeout = AbortSignal.timeout(timeoutMs);
  const options = { method, keepalive, headers: { Accept: 'application/json', ...headers } };
  options.signal = signal ? AbortSignal.any([signal, timeout]) : timeout;
  if (body !== undefined) {
    options.body = JSON.stringify(body);
    options.headers['Content-Type'] = 'application/json';
  }
  let response;
  let text;
  try {
    response = await fetch(path, options);
    text = await response.text();
  } catch (error) {
    throw signal?.aborted ? new Cancelled() : new Offline(String(error));
  }
  const content = parsed(text);
  if (response.ok) return { status: response.status, body: content };
  // A reverse proxy sends these statuses when the service behind it is down, and a gateway this code.
  if (content === null ? [502, 503, 504].includes(response.status) : content.code === 'ingest_unavailable') {
    throw new Offline(`status ${response.status}`);
  }
  throw new Problem(response.status, content ?? {}, response.headers.get('Retry-After'));
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * Returns a text about an error for the user. If the page has no text for the error's code, returns an element with the
 * server's own text, which is English.
 */
export function explain(error) {
  if (error instanceof Offline) return say('problem.offline');
  if (!(error instanceof Problem)) return say('problem.unknown');
  const name = `problem.${error.code}`;
  const seconds = error.retryAfter ?? 5;
  if (has(name)) return say(name, { n: seconds, time: wait(seconds) });
  if (!error.message) return say('problem.unknown');
  return element('span', {}, ...phrase('problem.other', { detail: element('span', { lang: 'en' }, error.message) }));
}
