import { Field } from '../common/field.js';
import { say } from '../common/language.js';
import { coordinates } from './draft.js';
import { placesAround } from './places.js';

const pauseMs = 150;

/**
 * The field with the name of a place that the user has set on the map. Until the user types a name, the field names the
 * city nearest to the pin, or the pin's coordinates where no city is near.
 */
export class NameField extends Field {
  #draft;
  #lookup = new AbortController();
  /** Resolves when the name belongs to the pin's last point. */
  settled = Promise.resolve();

  constructor(draft) {
    super(say('adding.name'), { 'aria-required': 'true', maxlength: 256, value: draft.place }, say('adding.name.hint'));
    this.#draft = draft;
    this.input.addEventListener('input', () => {
      this.end();
      draft.rename(this.value, this.value.trim() !== '');
    });
  }

  /** Follows the pin to a point, unless the user has typed a name. */
  follow(point) {
    this.end();
    if (this.#draft.isNamed) return;
    this.#lookup = new AbortController();
    this.settled = this.#name(point, this.#lookup.signal);
  }

  /** Cancels the lookup of a name. */
  end() {
    this.#lookup.abort();
  }

  async #name(point, signal) {
    // Arrow keys move a pin many times. Only the last point needs a name.
    await new Promise((resolve) => { setTimeout(resolve, pauseMs); });
    const places = signal.aborted ? [] : await placesAround(point, signal).catch(() => []);
    if (signal.aborted) return;
    this.value = places[0]?.label ?? coordinates(point);
    this.#draft.rename(this.value, false);
    this.showError('');
  }
}
