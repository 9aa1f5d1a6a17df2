import { element } from '../common/element.js';
import { glyph } from '../common/glyph.js';
import { say } from '../common/language.js';

const { L } = globalThis;

const ButtonGroup = L.Control.extend({
  options: { position: 'bottomright' },

  initialize(buttons) {
    this.buttons = buttons;
  },

  onAdd() {
    const group = element('div.map-buttons', {}, ...this.buttons);
    L.DomEvent.disableClickPropagation(group);
    return group;
  },
});

/** Adds a column of buttons to the corner of a map, above the buttons that are already there. */
export function addButtons(map, ...buttons) {
  map.addControl(new ButtonGroup(buttons));
}

/** Returns a button with an icon. `shapes` are those of `glyph`, and the label is its name. */
export function mapButton(label, shapes, run) {
  return element('button', { type: 'button', 'aria-label': label, title: label, onclick: run }, glyph(...shapes));
}

/** Adds buttons that zoom. A button without effect is disabled. */
export function addZoomButtons(map) {
  const zoomIn = mapButton(say('zoom.in'), ['M8 3v10M3 8h10'], () => map.zoomIn());
  const zoomOut = mapButton(say('zoom.out'), ['M3 8h10'], () => map.zoomOut());
  const follow = () => {
    zoomIn.disabled = map.getZoom() >= map.getMaxZoom();
    zoomOut.disabled = map.getZoom() <= map.leastZoom;
  };
  map.on('zoomend zoomlevelschange', follow);
  addButtons(map, zoomIn, zoomOut);
}
