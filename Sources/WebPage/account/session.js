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

  async signIn(email, password) {
    const { body } = await request('POST', '/v2/session', { body: { email, password } });
    this.#become(body.account);
  }

  async signUp(registration) {
    const { body } = await request('POST', '/v2/accounts', { body: registration });
    this.#become(body.account);
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
   * `Cancelled` if the user does not sign in.
   */
  async request(method, path, options) {
    if (this.account === null && !(await this.#askToSignIn('sign-in.needed'))) throw new Cancelled();
    try {
      return await request(method, path, options);
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'session_required') throw error;
      if (!(await this.#askToSignIn('sign-in.expired'))) {
        this.#become(null);
        throw new Cancelled();
      }
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
