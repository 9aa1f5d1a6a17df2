/** The heights, from low to high. */
const heights = ['peek', 'half', 'full'];
/** A shorter move of the finger is a tap. */
const tapPixels = 6;
/** A quick move ends where the finger would be after this time. A finger that rests before it leaves has no speed. */
const glideMs = 200;
const restMs = 60;

/**
 * A sheet at the lower edge of a narrow window, with three heights: `peek`, `half` and `full`. The user drags the
 * handle, taps it, or presses its arrow keys. Escape lowers the sheet. Style sheets set the heights, and make the sheet
 * a panel without a handle in a wide window. The markup has the initial height. Fires `change`.
 */
export class Sheet extends EventTarget {
  #root;
  #handle;
  #drag = null;

  /**
   * @param {HTMLElement} root
   * @param {HTMLButtonElement} handle
   */
  constructor(root, handle) {
    super();
    [this.#root, this.#handle] = [root, handle];
    handle.addEventListener('pointerdown', (event) => this.#begin(event));
    handle.addEventListener('pointermove', (event) => this.#move(event));
    handle.addEventListener('pointerup', (event) => this.#end(event));
    handle.addEventListener('pointercancel', (event) => this.#end(event));
    // A mouse clicks after a drag, too.
    handle.addEventListener('click', () => {
      if (!this.#drag?.isMoved) this.height = this.height === 'peek' ? 'half' : 'peek';
    });
    handle.addEventListener('keydown', (event) => {
      const steps = { ArrowUp: 1, ArrowDown: -1 }[event.key];
      if (!steps) return;
      event.preventDefault();
      this.height = heights[heights.indexOf(this.height) + steps] ?? this.height;
    });
    root.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape' || this.height === 'peek' || event.target.value) return;
      this.height = 'peek';
      handle.focus();
    });
    // A link to a pin needs the map.
    root.addEventListener('click', ({ target }) => { if (target.closest('a[href^="/"]')) this.height = 'peek'; });
    // The keyboard of a phone leaves no space for the map.
    root.addEventListener('focusin', ({ target }) => { if (target.matches('input')) this.height = 'full'; });
  }

  get height() { return this.#root.dataset.height; }

  set height(name) {
    if (name === this.height) return;
    this.#root.dataset.height = name;
    this.#handle.setAttribute('aria-expanded', String(name !== 'peek'));
    this.dispatchEvent(new Event('change'));
  }

  #begin({ clientY, pointerId, timeStamp }) {
    this.#handle.setPointerCapture(pointerId);
    this.#drag = { fromY: clientY, from: this.#root.offsetHeight, isMoved: false, y: clientY, timeStamp, speed: 0 };
  }

  #move({ clientY, timeStamp }) {
    const drag = this.#drag;
    if (drag === null) return;
    drag.isMoved ||= Math.abs(clientY - drag.fromY) > tapPixels;
    if (!drag.isMoved) return;
    drag.speed = (drag.y - clientY) / Math.max(1, timeStamp - drag.timeStamp);
    [drag.y, drag.timeStamp] = [clientY, timeStamp];
    this.#root.classList.add('dragged');
    this.#root.style.height = `${drag.from + drag.fromY - clientY}px`;
  }

  #end({ timeStamp }) {
    const drag = this.#drag;
    setTimeout(() => { this.#drag = null; });
    if (!drag?.isMoved) return;
    const speed = timeStamp - drag.timeStamp > restMs ? 0 : drag.speed;
    const wanted = this.#root.offsetHeight + speed * glideMs;
    const whole = this.#root.parentElement.clientHeight;
    const pixels = { peek: this.#handle.offsetHeight, half: whole / 2, full: whole };
    const distance = (name) => Math.abs(pixels[name] - wanted);
    this.#root.classList.remove('dragged');
    this.#root.style.height = '';
    this.height = heights.reduce((best, name) => (distance(name) < distance(best) ? name : best));
  }
}
