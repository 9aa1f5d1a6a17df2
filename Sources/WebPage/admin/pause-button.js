import { Cancelled, explain } from '../common/api.js';
import { busy } from '../common/busy.js';
import { say } from '../common/language.js';
import { toast } from '../common/toast.js';

/** The button that pauses and resumes the queue. Accepted posts wait while the queue is paused. */
export class PauseButton {
  #button;
  #isPaused = false;

  constructor(button, board) {
    this.#button = button;
    button.addEventListener('click', () => busy(button, async () => {
      try {
        await board.request('POST', this.#isPaused ? '/v2/admin/resume' : '/v2/admin/pause');
        await board.refresh();
        toast(say(this.#isPaused ? 'admin.paused' : 'admin.resumed'));
      } catch (error) {
        if (!(error instanceof Cancelled)) toast(explain(error));
      }
    }));
  }

  show({ paused }) {
    this.#isPaused = paused;
    this.#button.textContent = say(paused ? 'admin.resume' : 'admin.pause');
    this.#button.classList.toggle('primary', paused);
  }
}
