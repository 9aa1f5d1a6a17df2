const svg = 'http://www.w3.org/2000/svg';

/** Returns an icon of 16 by 16 units. Each shape is the data of a path, which is drawn as a line. */
export function glyph(...shapes) {
  const image = document.createElementNS(svg, 'svg');
  image.setAttribute('class', 'glyph');
  image.setAttribute('viewBox', '0 0 16 16');
  image.setAttribute('aria-hidden', 'true');
  for (const shape of shapes) {
    const path = document.createElementNS(svg, 'path');
    path.setAttribute('d', shape);
    image.append(path);
  }
  return image;
}
