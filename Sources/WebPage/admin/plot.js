import { element } from '../common/element.js';
import { ago, clock, say } from '../common/language.js';

const spanMs = { min: 300_000, max: 3_600_000 };
const gapMs = 15_000;
const [width, height] = [720, 160];

/** A plot of the last hour, or of the shorter time since the first sample. Shows the values at the pointer. */
export class Plot {
  #series;
  #format;
  #samples = [];
  #spanMs = spanMs.min;
  #from = element('span');
  #pointed = null;
  #picture;
  #top = element('span.top');
  #mark;

  /**
   * @param {string} title
   * @param {Array<{key: string, text: string}>} series For each line, a sample's property and the key of its text.
   * @param {function(number): string} format Formats a value for people.
   */
  constructor(title, series, format) {
    this.#format = format;
    this.#series = series.map((one, index) => ({
      ...one, line: svgElement('path', { class: `line line-${index}` }), now: element('span') }));
    this.#mark = svgElement('path', { class: 'mark-line' });
    this.#picture = svgElement('svg', { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none', role: 'img' });
    this.#picture.append(this.#mark, ...this.#series.map(({ line }) => line));
    this.#picture.addEventListener('pointermove', (event) => this.#point(event));
    this.#picture.addEventListener('pointerleave', () => this.#point(null));
    const legend = this.#series.map(({ text, now }, index) => element(
      'span', {}, swatch(index), series.length > 1 ? `${say(text)} ` : '', now));
    this.title = title;
    this.root = element(
      'figure.plot', {}, element('figcaption', {}, element('h2', {}, title), element('span.legend', {}, ...legend)),
      element('div.frame', {}, this.#top, this.#picture),
      element('div.times', { 'aria-hidden': 'true' }, this.#from, element('span', {}, say('admin.now'))));
  }

  /** @param {Array<Object>} samples The samples, oldest first, each with `unixMs`. */
  show(samples) {
    this.#samples = samples;
    const end = samples.at(-1)?.unixMs ?? 0;
    const values = samples.flatMap((sample) => this.#series.map(({ key }) => sample[key]));
    const top = round(Math.max(1, ...values));
    this.#top.textContent = this.#format(top);
    this.#spanMs = Math.max(spanMs.min, Math.min(spanMs.max, end - (samples[0]?.unixMs ?? end)));
    this.#from.textContent = ago(this.#spanMs);
    for (const { key, line } of this.#series) line.setAttribute('d', path(samples, key, end, this.#spanMs, top));
    this.#showValues();
  }

  #point(event) {
    if (event === null) {
      this.#pointed = null;
    } else {
      const box = this.#picture.getBoundingClientRect();
      const end = this.#samples.at(-1)?.unixMs ?? 0;
      const unixMs = end - this.#spanMs * (1 - (event.clientX - box.left) / box.width);
      this.#pointed = this.#samples.reduce(
        (best, sample) =>
          (best && Math.abs(best.unixMs - unixMs) <= Math.abs(sample.unixMs - unixMs) ? best : sample), null);
    }
    this.#showValues();
  }

  /** Shows the values at the pointer, or the latest values without a pointer. */
  #showValues() {
    const last = this.#samples.at(-1);
    const sample = this.#pointed ?? last;
    if (!sample) return;
    for (const { key, now } of this.#series) now.textContent = this.#format(sample[key]);
    const [first] = this.#series;
    if (this.#pointed) first.now.textContent += ` · ${clock(sample.unixMs)}`;
    const x = (1 - (last.unixMs - sample.unixMs) / this.#spanMs) * width;
    this.#mark.setAttribute('d', this.#pointed ? `M${x} 0V${height}` : '');
    const parts = this.#series.map(({ key, text }) => say('admin.plotted', {
      name: say(text), now: this.#format(last[key]),
      most: this.#format(Math.max(...this.#samples.map((one) => one[key]))) }));
    this.#picture.setAttribute('aria-label', parts.join(' '));
  }
}

/** Returns the SVG path of a line through the samples. The line has a gap where samples are missing. */
function path(samples, key, end, span, top) {
  let before = -Infinity;
  return samples.map((sample) => {
    const x = (1 - (end - sample.unixMs) / span) * width;
    const y = height - 2 - (sample[key] / top) * (height - 6);
    const step = `${sample.unixMs - before > gapMs ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`;
    before = sample.unixMs;
    return step;
  }).join('');
}

/** Rounds up to the next of 1, 2, 5, 10, 20, 50, … */
function round(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].find((step) => step * power >= value) * power;
}

function swatch(index) {
  const line = svgElement('svg', { viewBox: '0 0 18 8', class: 'swatch', 'aria-hidden': 'true' });
  line.append(svgElement('path', { d: 'M0 4H18', class: `line line-${index}` }));
  return line;
}

function svgElement(name, attributes) {
  const node = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return node;
}
