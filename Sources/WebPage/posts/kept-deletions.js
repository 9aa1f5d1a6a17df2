const key = 'deletions';
const most = 100;

/** The age at which a deletion expires, because the user no longer expects it. */
const longestMs = 86_400_000;

/**
 * Keeps a deletion in the browser until the server has answered it, because the page may close first.
 *
 * @param {{account: string, id: string, dueMs: number}} deletion The ids of the owner and of the post, and the time
 *   until which the user can undo the deletion.
 */
export function keepDeletion(deletion) {
  write([...read().filter(({ id }) => id !== deletion.id), deletion].slice(-most));
}

/** Removes the deletion of a post. */
export function forgetDeletion(id) {
  write(read().filter((other) => other.id !== id));
}

/** Returns the kept deletions of an account, without those that have expired. */
export function keptDeletions(account) {
  return read().filter((deletion) => deletion.account === account);
}

function read() {
  try {
    const deletions = JSON.parse(localStorage.getItem(key)) ?? [];
    return deletions.filter(({ dueMs }) => Date.now() - dueMs < longestMs);
  } catch {
    return [];
  }
}

function write(deletions) {
  try {
    if (deletions.length) localStorage.setItem(key, JSON.stringify(deletions));
    else localStorage.removeItem(key);
  } catch {
    // Without storage, a page that closes too early loses the deletion.
  }
}
