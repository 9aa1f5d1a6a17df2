import { Empty } from '../common/empty.js';
import { element } from '../common/element.js';
import { say } from '../common/language.js';
import { DeletionSetting } from './deletion-setting.js';
import { IdentityList } from './identity-list.js';
import { PasswordSetting } from './password-setting.js';
import { Profile } from './profile.js';
import { SessionList } from './session-list.js';

/** The view of the user's account: profile, password, sessions, identities, and the account's deletion. */
export class AccountView {
  #session;
  #page;
  #content = element('div.settings');
  #accountID;
  #profile;
  #password;
  #sessions;
  #identities;

  /**
   * @param {{signIn: SignIn, login: Object, own: OwnPosts, deleted: function}} page The sign-in dialog, the server's
   *   sign-in methods, the user's posts, and an action after the account's deletion.
   */
  constructor(place, session, page) {
    [this.#session, this.#page] = [session, page];
    place.append(this.#content);
    session.addEventListener('change', () => { if (!place.hidden) this.show(); });
  }

  /** Shows the account as the server knows it now. Keeps input that is not saved. */
  show() {
    const { account } = this.#session;
    const id = account?.id ?? null;
    if (id !== this.#accountID) this.#content.replaceChildren(...this.#parts(account));
    this.#accountID = id;
    if (account === null) return;
    this.#profile.showNotice();
    this.#password.follow();
    this.#sessions.load();
    this.#identities.load();
  }

  #parts(account) {
    const session = this.#session;
    const { signIn, login, own, deleted } = this.#page;
    if (account === null) {
      const empty = new Empty();
      empty.show(say('account.signed-out'), { label: say('sign-in'), run: () => signIn.open(session) });
      return [empty.root];
    }
    this.#profile = new Profile(session, signIn, login);
    this.#password = new PasswordSetting(session, signIn);
    this.#sessions = new SessionList(session);
    this.#identities = new IdentityList(session, signIn);
    return [
      this.#profile.root, this.#password.root, this.#sessions.root, this.#identities.root,
      new DeletionSetting(session, signIn, own, deleted).root];
  }
}
