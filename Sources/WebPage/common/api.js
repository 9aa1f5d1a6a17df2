import { has, say } from './language.js';

const patienceMs = 20_000;

/** The server has said no, and why. (RFC 9457.) */
export class Problem extends Error {
  constructor(status, body, retryAfter) {
    super(body.detail ?? '');
    this.status = status;
    this.code = body.code ?? 'internal_error';
    this.field = body.field ?? null;
    this.retryAfter = Number(retryAfter) || null;
  }
}

/** Nobody has answered: there is no connection, or the server is gone. */
export class Offline extends Error {}

/** Whoever was asked does not want to go on. */
export class Cancelled extends Error {}

/**
 * Asks the server that the page came from. Throws `Problem`, `Offline`, or `Cancelled` where `signal` says so.
 *
 * @returns {Promise<{status: number, body: any}>} the body is null where there is none
 */
export async function ask(method, path, { body, headers = {}, signal, keepalive = false } = {}) {
  const timeout = AbortSignal.timeout(patienceMs);
  const options = { method, keepalive, headers: { Accept: 'application/json', ...headers } };
  options.signal = signal ? AbortSignal.any([signal, timeout]) : timeout;
  if (body !== undefined) {
    options.body = JSON.stringify(body);
    options.headers['Content-Type'] = 'application/json';
  }
  let answer;
  let text;
  try {
    answer = await fetch(path, options);
    text = await answer.text();
  } catch (error) {
    throw signal?.aborted ? new Cancelled() : new Offline(String(error));
  }
  const content = parsed(text);
  if (answer.ok) return { status: answer.status, body: content };
  // A proxy in front says so when the service behind it is gone.
  if (content === null && [502, 503, 504].includes(answer.status)) throw new Offline(`status ${answer.status}`);
  throw new Problem(answer.status, content ?? {}, answer.headers.get('Retry-After'));
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** What happened, and what to do, in the page's language where it knows the code. */
export function explain(error) {
  if (error instanceof Offline) return say('problem.offline');
  if (!(error instanceof Problem)) return say('problem.unknown');
  const name = `problem.${error.code}`;
  if (has(name)) return say(name, { n: error.retryAfter ?? 5, detail: error.message });
  return error.message ? say('problem.other', { detail: error.message }) : say('problem.unknown');
}
