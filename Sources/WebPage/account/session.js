import { ask, Cancelled, Problem } from '../common/api.js';

/** Who is signed in here: the browser keeps a cookie that no script sees. Tells `change`. */
export class Session extends EventTarget {
  /** Null for a stranger. */
  account;
  #signIn;
  #asking = null;

  /**
   * @param {Object|null} account as the page started
   * @param {function(string): Promise<boolean>} signIn asks whoever is here to sign in, for a reason; whether he did
   */
  constructor(account, signIn) {
    super();
    this.account = account;
    this.#signIn = signIn;
  }

  async signIn(email, password) {
    const { body } = await ask('POST', '/v2/session', { body: { email, password } });
    this.#become(body.account);
  }

  async signUp(registration) {
    const { body } = await ask('POST', '/v2/accounts', { body: registration });
    this.#become(body.account);
  }

  async signOut() {
    try {
      await ask('DELETE', '/v2/session');
    } catch (error) {
      // It was over before.
      if (!(error instanceof Problem) || error.status !== 401) throw error;
    }
    this.#become(null);
  }

  /**
   * Asks the server as whoever is signed in. Where nobody is, or the session is over, it has him sign in first and then
   * carries on; `Cancelled` where he does not.
   */
  async ask(method, path, options) {
    if (this.account === null && !(await this.#askToSignIn('sign-in.first'))) throw new Cancelled();
    try {
      return await ask(method, path, options);
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'session_required') throw error;
      if (!(await this.#askToSignIn('sign-in.expired'))) {
        this.#become(null);
        throw new Cancelled();
      }
      return ask(method, path, options);
    }
  }

  /** Once, however many ask at the same time. */
  #askToSignIn(reason) {
    this.#asking ??= this.#signIn(reason).finally(() => { this.#asking = null; });
    return this.#asking;
  }

  #become(account) {
    this.account = account;
    this.dispatchEvent(new Event('change'));
  }
}
