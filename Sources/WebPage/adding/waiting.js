import { Offline, Problem } from '../common/api.js';

const retryMs = 2_000;

/**
 * Repeats a request until the server answers it. Throws `Cancelled` after `signal` aborts, and any other error of the
 * request.
 *
 * @param {function(): Promise} send Sends the request with `signal`.
 * @param {function(Error)} onWait Called with the error of each failed attempt.
 */
export async function untilAnswered(send, onWait, signal) {
  for (;;) {
    try {
      return await send();
    } catch (error) {
      if (!isTemporary(error)) throw error;
      onWait(error);
    }
    await new Promise((resolve) => {
      setTimeout(resolve, retryMs);
      signal.addEventListener('abort', resolve, { once: true });
    });
  }
}

/** Returns true for an error that ends by itself: the server is away, has no worker, or its queue is paused. */
function isTemporary(error) {
  return error instanceof Offline || (error instanceof Problem && error.status === 503);
}
