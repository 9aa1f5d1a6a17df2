"""What a person cannot read on the page: texts that are cut off, broken, over another text, or turned around."""

# Finds texts that are cut off, broken within a word, or over another text of their layer. A field's example counts too.
# The texts behind a dialog do not count.
UNREADABLE = r"""() => {
  const root = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document.body;
  const hidden = '.unseen, .skip, .leaflet-marker-pane, svg, select, script, noscript';
  const layers = '.leaflet-pane, .leaflet-control, .sheet, .toasts, .menu, .bar, .primary, dialog';
  const faults = [];
  const texts = [];
  const range = document.createRange();
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    const place = node.parentElement;
    const text = node.textContent.trim();
    if (!text || place.closest(hidden) || !place.checkVisibility({ visibilityProperty: true })) continue;
    range.selectNodeContents(node);
    const box = range.getBoundingClientRect();
    if (getComputedStyle(place).clipPath !== 'none') continue;
    if (box.left < -1 || box.right > innerWidth + 1) faults.push(`“${text}” leaves the window`);
    let isScrolled = false;
    for (let above = place; above !== root.parentElement; above = above.parentElement) {
      const { overflowX, overflowY } = getComputedStyle(above);
      const { left, right, top, bottom } = above.getBoundingClientRect();
      const isBeyond = box.top < top - 1 || box.bottom > bottom + 1;
      const isCut = overflowX !== 'visible' && (box.left < left - 1 || box.right > right + 1);
      isScrolled ||= isBeyond && overflowY !== 'visible' && above.scrollHeight > above.clientHeight;
      if (isCut || isBeyond && overflowY === 'hidden' && !isScrolled) faults.push(`“${text}” is cut off`);
    }
    if (isScrolled) continue;
    texts.push({ text, layer: place.closest(layers), boxes: [...range.getClientRects()] });
    for (const { 0: word, index } of node.textContent.matchAll(/[\p{L}\p{M}]+/gu)) {
      // A name of 64 letters has to break.
      if (word.length > 30) continue;
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
      if (lines.size > 1) faults.push(`“${word}” is broken in “${text}”`);
    }
  }
  const isOver = (one, other) => Math.min(one.right, other.right) - Math.max(one.left, other.left) > 1
    && Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 6;
  texts.forEach(({ text, layer, boxes }, index) => {
    const over = texts.slice(index + 1).filter((other) => other.layer === layer
      && boxes.some((one) => other.boxes.some((two) => isOver(one, two))));
    faults.push(...over.map((other) => `“${text}” is over “${other.text}”`));
  });
  for (const field of root.querySelectorAll('input[placeholder]')) {
    if (!field.checkVisibility()) continue;
    const style = getComputedStyle(field);
    const canvas = new OffscreenCanvas(1, 1).getContext('2d');
    canvas.font = style.font;
    const space = field.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    if (canvas.measureText(field.placeholder).width > space + 1) faults.push(`“${field.placeholder}” is cut off`);
  }
  return faults;
}"""
# Finds texts whose Latin letters do not run from left to right on their line.
TURNED = r"""() => {
  const isTurned = (node) => {
    const range = document.createRange();
    let last = null;
    for (const { index } of node.textContent.matchAll(/\p{Script=Latin}/gu)) {
      range.setStart(node, index);
      range.setEnd(node, index + 1);
      const box = range.getBoundingClientRect();
      if (last && Math.abs(box.top - last.top) < 4 && box.left < last.left) return true;
      last = box;
    }
    return false;
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const turned = [];
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (node.parentElement.checkVisibility() && isTurned(node)) turned.push(node.textContent);
  }
  return turned;
}"""


def unreadable(visitor):
    """Returns the faults of the visible texts of a visitor's page."""
    return visitor.page.evaluate(UNREADABLE)


def turned(visitor):
    """Returns the visible texts whose words are not in their order, because of a right-to-left text beside them."""
    return visitor.page.evaluate(TURNED)
