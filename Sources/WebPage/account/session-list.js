import { announce } from '../common/announce.js';
import { Cancelled, explain, Problem } from '../common/api.js';
import { busy } from '../common/busy.js';
import { element } from '../common/element.js';
import { age, moment, say } from '../common/language.js';
import { device } from './device.js';
import { setting } from './setting.js';

/** The section with the account's sessions. The user can end each of the other ones. */
export class SessionList {
  #session;
  #list = element('ul.rows');
  #trouble = element('p.trouble', { role: 'alert' });
  #endOthers;

  constructor(session) {
    this.#session = session;
    this.#endOthers = element('button', { type: 'button', hidden: true, onclick: () =>
      this.#end(this.#endOthers, '/v2/sessions?except=current', say('sessions.ended-others')) },
    say('sessions.end-others'));
    this.root = setting('sessions', this.#list, this.#trouble, element('div', {}, this.#endOthers));
  }

  /** Loads the sessions, newest first. */
  async load() {
    this.#trouble.textContent = '';
    try {
      const { body } = await this.#session.request('GET', '/v2/sessions');
      const sessions = body.sessions.sort((a, b) => b.current - a.current || (a.createdAt < b.createdAt ? 1 : -1));
      this.#list.replaceChildren(...sessions.map((session) => this.#item(session)));
      this.#endOthers.hidden = sessions.length < 2;
    } catch (error) {
      if (!(error instanceof Cancelled)) this.#trouble.replaceChildren(explain(error));
    }
  }

  #item({ id, createdAt, current, address, userAgent }) {
    const name = device(userAgent);
    const time = Date.parse(createdAt);
    const end = element('button', {
      type: 'button', 'aria-label': say('sessions.end.of', { device: name }), onclick: () =>
        this.#end(end, `/v2/sessions/${id}`, say('sessions.ended', { device: name })) }, say('sessions.end'));
    return element('li', {},
      element('div', {},
        element('strong', {}, name), current ? element('span.mark', {}, say('sessions.current')) : null,
        element('p.quiet', {}, address ? `${address} · ` : '',
          element('time', { datetime: createdAt, title: moment(time) }, say('sessions.since', { age: age(time) })))),
      current ? null : end);
  }

  #end(button, path, done) {
    return busy(button, async () => {
      try {
        await this.#session.request('DELETE', path);
      } catch (error) {
        if (error instanceof Cancelled) return;
        // Another device has ended it already.
        if (!(error instanceof Problem) || error.code !== 'session_not_found') {
          this.#trouble.replaceChildren(explain(error));
          return;
        }
      }
      await this.load();
      // The button has disappeared, and the focus with it.
      this.root.querySelector('h3').focus();
      announce(done);
    });
  }
}
