import { Cancelled, explain } from '../common/api.js';
import { busy } from '../common/busy.js';
import { element } from '../common/element.js';
import { say } from '../common/language.js';
import { setting } from './setting.js';
import { withPassword } from './with-password.js';

/** The section that deletes the account. */
export class DeletionSetting {
  #session;
  #signIn;
  #own;
  #deleted;
  #button;
  #trouble = element('p.trouble', { role: 'alert' });

  /**
   * @param {OwnPosts} own The user's posts, which the server deletes with the account.
   * @param {function} deleted Called after the deletion.
   */
  constructor(session, signIn, own, deleted) {
    [this.#session, this.#signIn, this.#own, this.#deleted] = [session, signIn, own, deleted];
    this.#button = element(
      'button.danger', { type: 'button', onclick: () => this.#begin() }, say('account.delete.begin'));
    this.root = setting(
      'account.delete', element('p', {}, say('account.delete.hint')), this.#trouble, element('div', {}, this.#button));
  }

  async #begin() {
    this.#trouble.textContent = '';
    try {
      const text = await busy(this.#button, () => this.#consequences());
      if (text === undefined) return;
      const isDone = await withPassword(this.#session, this.#signIn, {
        title: say('account.delete.title'), text, label: say('account.delete'), kind: 'danger',
        send: (confirmation) => this.#session.deleteAccount(confirmation) });
      if (isDone) this.#deleted();
    } catch (error) {
      if (!(error instanceof Cancelled)) this.#trouble.replaceChildren(explain(error));
    }
  }

  async #consequences() {
    const { posts, next } = await this.#own.page();
    if (next !== null) return say('account.delete.all');
    return posts.length ? say('account.delete.some', { n: posts.length }) : say('account.delete.none');
  }
}
