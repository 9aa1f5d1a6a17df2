import { Cancelled, Problem, request } from '../common/api.js';

/** The user's session on this page. The browser keeps it in a cookie that no script can read. Fires `change`. */
export class Session extends EventTarget {
  /** The signed-in account, or null. */
  account;
  #signIn;
  #signingIn = null;

  /**
   * @param {Object|null} account The account at the page's start.
   * @param {function(string): Promise<boolean>} signIn Asks the user to sign in. The parameter is the key of the text
   *   that gives the reason. Resolves to true on success.
   */
  constructor(account, signIn) {
    super();
    this.account = account;
    this.#signIn = signIn;
  }

  /** Takes the account that the server reports after a start without a connection. */
  restore(account) {
    if (account !== null) this.#become(account);
  }

  async signIn(email, password) {
    const { body } = await request('POST', '/v2/session', { body: { email, password } });
    this.#become(body.account);
  }

  async signUp(registration) {
    const { body } = await request('POST', '/v2/accounts', { body: registration });
    this.#become(body.account);
  }

  /** Signs in with the token of a mail about a forgotten password, and sets a new password. */
  async recover(token, password) {
    const { body } = await request('PUT', '/v2/recovery', { body: { token, password } });
    this.#become(body.account);
  }

  /** Changes the names or the email address of the account. */
  async change(profile) {
    const { body } = await this.request('PATCH', '/v2/account', { body: profile });
    this.#become(body);
  }

  /** Changes the password. All other sessions of the account end. */
  async changePassword(change) {
    const { body } = await this.request('PUT', '/v2/account/password', { body: change });
    this.#become(body.account);
  }

  /** Reads the account again. Its address may have been confirmed in another browser. */
  async refresh() {
    const { body } = await this.request('GET', '/v2/account');
    this.#become(body);
  }

  /** Deletes the account with all its posts. */
  async deleteAccount(confirmation) {
    await this.request('DELETE', '/v2/account', { body: confirmation });
    this.#become(null);
  }

  async signOut() {
    try {
      await request('DELETE', '/v2/session');
    } catch (error) {
      // The session had already ended.
      if (!(error instanceof Problem) || error.status !== 401) throw error;
    }
    this.#become(null);
  }

  /**
   * Sends a request with the user's session. Without a valid session, asks the user to sign in first. Throws
   * `Cancelled` if the user does not sign in, or signs in to another account than before.
   */
  async request(method, path, options) {
    const before = this.account?.id;
    if (this.account === null && !(await this.#askToSignIn('sign-in.needed'))) throw new Cancelled();
    try {
      return await request(method, path, options);
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'session_required') throw error;
      if (!(await this.#askToSignIn('sign-in.expired'))) {
        this.#become(null);
        throw new Cancelled();
      }
      // The request was about the account before.
      if (before !== undefined && this.account.id !== before) throw new Cancelled();
      return request(method, path, options);
    }
  }

  /** Asks the user to sign in. Concurrent requests share one dialog. */
  #askToSignIn(reason) {
    this.#signingIn ??= this.#signIn(reason).finally(() => { this.#signingIn = null; });
    return this.#signingIn;
  }

  #become(account) {
    this.account = account;
    this.dispatchEvent(new Event('change'));
  }
}
