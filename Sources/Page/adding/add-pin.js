import { explain, Problem } from '../common/api.js';
import { Dialog } from '../common/dialog.js';
import { say } from '../common/language.js';
import { Draft } from './draft.js';
import { linkStep } from './link-step.js';
import { placeStep } from './place-step.js';
import { previewStep } from './preview-step.js';

const waitSeconds = 10;

/** Puts somebody on the map, step by step, or changes where he is. */
export class AddPin {
  #session;
  #own;
  #tiles;
  #done;
  #draft = new Draft();

  /** @param {function(Object)} done takes the post as the server has answered it */
  constructor(session, own, tiles, done) {
    [this.#session, this.#own, this.#tiles, this.#done] = [session, own, tiles, done];
  }

  /** Until it is done or cancelled. What was typed for a new one before is still there. */
  async open(post = null) {
    const draft = post ? new Draft(post) : this.#draft;
    const dialog = new Dialog(say(post ? 'adding.edit' : 'adding'), 'adding');
    let step = null;
    const show = (number, made) => {
      // What was asked for before it was cancelled has been answered.
      if (!dialog.root.isConnected) return;
      step?.end?.();
      step = made;
      dialog.title.textContent = `${say(post ? 'adding.edit' : 'adding')} · ${say('adding.step', { step: number })}`;
      dialog.body.replaceChildren(step);
      step.begin?.();
      step.querySelector('input:not([type=radio]), input:checked, button.primary')?.focus();
    };
    const cancel = () => dialog.close();
    const place = (complaint = '') => show(1, placeStep(draft, { next: preview, cancel, complaint }));
    const preview = () => show(2, previewStep(draft, this.#tiles, { next: link, back: () => place(), cancel }));
    const link = () => show(3, linkStep(draft, this.#own.newest, { submit, back: preview, cancel }));
    const submit = async () => {
      dialog.isHeld = true;
      try {
        const answered = await this.#send(draft);
        this.#draft = post ? this.#draft : new Draft();
        dialog.close();
        this.#done(answered);
      } catch (error) {
        const isOfPlace = error instanceof Problem
          && (error.code === 'place_not_found' || error.field === 'place');
        if (!isOfPlace) throw error;
        place(explain(error));
      } finally {
        dialog.isHeld = false;
      }
    };
    const closed = dialog.show();
    place();
    await closed;
    step?.end?.();
  }

  async #send(draft) {
    const replaced = draft.post?.id ?? draft.replaced;
    const { body } = replaced
      ? await this.#session.ask('PUT', `/v2/posts/${replaced}`, { body: draft.body })
      : await this.#session.ask('POST', '/v2/posts', {
        body: draft.body, headers: { 'Idempotency-Key': draft.key, Prefer: `wait=${waitSeconds}` } });
    if (body.state === 'rejected') {
      throw new Problem(422, { code: 'place_not_found', detail: body.reason?.detail ?? '', field: 'place' });
    }
    return body;
  }
}
