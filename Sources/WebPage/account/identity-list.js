import { Cancelled, explain } from '../common/api.js';
import { announce } from '../common/announce.js';
import { element } from '../common/element.js';
import { age, moment, say } from '../common/language.js';
import { host } from '../common/link.js';
import { setting } from './setting.js';
import { withPassword } from './with-password.js';

/** The section with the identities at providers, with which the user can sign in. */
export class IdentityList {
  #session;
  #signIn;
  #list = element('ul.rows');
  #trouble = element('p.trouble', { role: 'alert' });

  constructor(session, signIn) {
    [this.#session, this.#signIn] = [session, signIn];
    this.root = setting('identities', this.#list, this.#trouble, element('div.links', {}, ...signIn.providers.map(
      ({ name }) => element('button', { type: 'button', onclick: () => this.#link(name) },
        say('identities.link', { name })))));
    this.root.hidden = signIn.providers.length === 0;
  }

  /** Loads the identities. */
  async load() {
    this.#trouble.textContent = '';
    try {
      const { body } = await this.#session.request('GET', '/v2/account/identities');
      this.#list.replaceChildren(...body.identities.map((identity) => this.#item(identity)));
      this.root.hidden = this.#signIn.providers.length === 0 && body.identities.length === 0;
    } catch (error) {
      if (!(error instanceof Cancelled)) this.#trouble.replaceChildren(explain(error));
    }
  }

  #item({ id, issuer, subject, createdAt }) {
    const name = host(issuer);
    const time = Date.parse(createdAt);
    return element('li', {},
      element('div', {}, element('strong', {}, name), element('p.quiet', {}, `${subject} · `,
        element('time', { datetime: createdAt, title: moment(time) }, say('identities.since', { age: age(time) })))),
      element('button', {
        type: 'button', 'aria-label': say('identities.unlink.of', { name }), onclick: () => this.#unlink(id, name),
      }, say('identities.unlink')));
  }

  /** Sends the user to the provider, which returns the user to this view. */
  #link(name) {
    return withPassword(this.#session, this.#signIn, {
      title: say('identities.link', { name }), text: say('identities.link.more', { name }), label: say('continue'),
      send: async (confirmation) => {
        const { body } = await this.#session.request(
          'POST', '/v2/account/identities', { body: { ...confirmation, return: '/account?linked' } });
        location.assign(body.location);
      } });
  }

  async #unlink(id, name) {
    const isDone = await withPassword(this.#session, this.#signIn, {
      title: say('identities.unlink.of', { name }), text: say('identities.unlink.more', { name }),
      label: say('identities.unlink'),
      send: (body) => this.#session.request('DELETE', `/v2/account/identities/${id}`, { body }) });
    if (!isDone) return;
    await this.load();
    this.root.querySelector('h3').focus();
    announce(say('identities.unlinked', { name }));
  }
}
