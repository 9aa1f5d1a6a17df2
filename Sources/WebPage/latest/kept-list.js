const key = 'last-list';
/** Key of the time when the list was deleted last, in milliseconds since 1970. */
const deletedKey = 'last-list-deleted';
const everyMs = 4_000;

/**
 * Keeps the last list of a public map in the browser, so that the page can start without a connection. Nothing remains
 * after a sign-out, or if the map is for members only.
 */
export class KeptList {
  #latest;
  #status;
  #setting;
  #deletedMs;
  #timer = null;

  /** @param {Object} setting The body of GET /v2/page. Nothing about its account is kept. */
  constructor(latest, status, { login, mapAccess, feed, tiles }) {
    [this.#latest, this.#status, this.#setting] = [latest, status, { login, mapAccess, feed, tiles }];
    this.#deletedMs = deletedMs();
    if (mapAccess !== 'public') {
      this.forget();
      return;
    }
    latest.addEventListener('change', () => { this.#timer ??= setTimeout(() => this.#save(), everyMs); });
    status.addEventListener('change', () => { if (status.state === 'members-only') this.forget(); });
    addEventListener('pagehide', () => this.#save());
  }

  /** Deletes the list. All open tabs, this one too, keep none until their next start. */
  forget() {
    try {
      localStorage.removeItem(key);
      localStorage.setItem(deletedKey, Date.now());
    } catch {
      // A browser that forbids storage has no list.
    }
  }

  #save() {
    clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#latest.epoch === null || deletedMs() !== this.#deletedMs) return;
    const savedMs = this.#status.listMs ?? Date.now();
    try {
      localStorage.setItem(key, JSON.stringify({ setting: this.#setting, savedMs, list: this.#latest.list }));
    } catch {
      // Without storage, the page cannot start without a connection.
    }
  }
}

/** Returns the time of the last deletion, in this tab or another one. Null if there was none. */
function deletedMs() {
  try {
    return localStorage.getItem(deletedKey);
  } catch {
    return null;
  }
}

/** Returns the setting of the last start, for a stranger, with the list as `kept`. Null if there is none. */
export function keptSetting() {
  try {
    const { setting, savedMs, list } = JSON.parse(localStorage.getItem(key));
    return { ...setting, account: null, pausedAt: null, ticket: null, kept: { savedMs, list } };
  } catch {
    return null;
  }
}
