import { explain, Problem } from '../common/api.js';
import { Dialog } from '../common/dialog.js';
import { say } from '../common/language.js';
import { toast } from '../common/toast.js';
import { Draft } from './draft.js';
import { linkStep } from './link-step.js';
import { placeStep } from './place-step.js';
import { previewStep } from './preview-step.js';

const waitSeconds = 10;
const storageKey = 'onthemap.draft';

/** The dialog that adds or edits the user's pin, step by step. */
export class AddPin {
  #session;
  #own;
  #tiles;
  #onSaved;
  #draft = new Draft();
  /** The draft and the step of this tab's last page. Null if there is none, or after the dialog has opened. */
  #kept = restored();
  /** The draft and the step that the dialog shows. Null while the dialog is closed. */
  #shown = null;
  /** The last attempt to save a pin. Settles after `onSaved`. */
  saving = Promise.resolve();
  /** Removes the toast about the kept draft. */
  #dropReminder = () => {};

  /**
   * @param {function(Object, string)} onSaved Called with the post of the server's response, and the key of the text
   *   about a published post.
   */
  constructor(session, own, tiles, onSaved) {
    [this.#session, this.#own, this.#tiles, this.#onSaved] = [session, own, tiles, onSaved];
    if (this.#kept?.draft.post === null) this.#draft = this.#kept.draft;
    addEventListener('pagehide', () => keep(this.#shown ?? this.#kept ?? { draft: this.#draft, step: 0 }));
  }

  /**
   * Shows the dialog again after a reload or a sign-in with a provider, if it was open and the user is signed in. Call
   * this again when a slow server has said who the user is.
   */
  resume() {
    const { draft, step } = this.#kept ?? {};
    if (step > 0 && this.#session.account !== null && this.#shown === null) this.#open(draft, step);
  }

  /**
   * Shows the dialog, and resolves when it closes. Without a post to edit, continues the draft of the new pin.
   *
   * @param {Object|null} post The post to edit.
   * @param {{latitude: number, longitude: number}} [options.point] The pin's point, at which the dialog shows the map.
   */
  open(post = null, { point = null } = {}) {
    const draft = post ? new Draft(post) : this.#draft;
    if (point) draft.putAt(point);
    return this.#open(draft, point ? 2 : 1);
  }

  async #open(draft, from) {
    this.#kept = null;
    const { post } = draft;
    const dialog = new Dialog('', 'adding');
    let step = null;
    let isSaved = false;
    const show = (number, form) => {
      // The dialog may have closed while a request was in progress.
      if (!dialog.root.isConnected) return;
      step?.end?.();
      step = form;
      this.#shown = { draft, step: number };
      dialog.kicker.textContent = `${say(post ? 'adding.edit' : 'adding')} · ${say('adding.step', { step: number })}`;
      dialog.title.textContent = step.question;
      dialog.body.replaceChildren(step);
      step.begin();
    };
    const place = (problem = '') => show(1, placeStep(draft, { next: preview, problem }));
    const preview = () => show(2, previewStep(draft, this.#tiles, { next: link, back: () => place() }));
    const link = () => show(3, linkStep(draft, this.#own.newest, { submit, back: preview }));
    const save = async () => {
      dialog.isHeld = true;
      try {
        const before = post ?? (draft.replaced && this.#own.newest);
        const saved = await this.#send(draft);
        isSaved = true;
        this.#draft = post ? this.#draft : new Draft();
        dialog.close();
        this.#onSaved(saved, outcome(before, saved));
      } catch (error) {
        const isAboutPlace = error instanceof Problem
          && (error.code === 'place_not_found' || error.field === 'place');
        if (!isAboutPlace) throw error;
        draft.found = null;
        place(explain(error));
      } finally {
        dialog.isHeld = false;
      }
    };
    const submit = () => {
      this.saving = save();
      return this.saving;
    };
    this.#dropReminder();
    const closed = dialog.show();
    [place, preview, link][from - 1]();
    await closed;
    const { step: number } = this.#shown;
    this.#shown = null;
    step.end?.();
    if (isSaved || post || draft.isEmpty) return;
    this.#dropReminder = toast(
      say('adding.kept'), { label: say('adding.continue'), run: () => this.#open(draft, number) });
  }

  async #send(draft) {
    const replaced = draft.post?.id ?? draft.replaced;
    const { body } = replaced
      ? await this.#session.request('PUT', `/v2/posts/${replaced}`, { body: draft.body })
      : await this.#session.request('POST', '/v2/posts', {
        body: draft.body, headers: { 'Idempotency-Key': draft.key, Prefer: `wait=${waitSeconds}` } });
    if (body.state === 'rejected') {
      throw new Problem(422, { code: 'place_not_found', detail: body.reason?.detail ?? '', field: 'place' });
    }
    return body;
  }
}

/** Returns the key of the text about a saved post. `before` is the post that the user has edited or moved, or null. */
function outcome(before, { latitude, longitude }) {
  // A post that was not on the map had no position.
  if (before?.latitude === undefined) return 'adding.done';
  return before.latitude === latitude && before.longitude === longitude ? 'adding.saved' : 'adding.relocated';
}

/** Saves the draft in this tab's session storage. */
function keep({ draft, step }) {
  try {
    if (draft.isEmpty) sessionStorage.removeItem(storageKey);
    else sessionStorage.setItem(storageKey, JSON.stringify({ draft, step }));
  } catch {
    // The browser may forbid storage. The draft is then lost.
  }
}

/** Removes the saved draft and its step from session storage, and returns both. Null without a saved draft. */
function restored() {
  try {
    const { draft, step } = JSON.parse(sessionStorage.getItem(storageKey));
    sessionStorage.removeItem(storageKey);
    return { draft: Draft.from(draft), step };
  } catch {
    return null;
  }
}
