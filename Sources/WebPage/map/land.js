/** Units of a tile's side, in which its points are. */
export const extent = 4096;

/** The land in one tile: its outline, which is filled, and lines between countries and between states. */
export class Land {
  outline = new Path2D();
  borders = new Path2D();
  states = new Path2D();

  /**
   * @param {number} zoom
   * @param {number} x
   * @param {number} y
   */
  constructor(zoom, x, y) {
    Object.assign(this, { zoom, x, y });
  }

  /** Covers the whole tile with land. */
  cover() {
    this.outline.rect(-extent, -extent, 3 * extent, 3 * extent);
    return this;
  }

  /** Reads the tile's shapes from a file (see Data/NOTICE.md). Returns the bytes that follow them. */
  read(bytes) {
    let [at, x, y] = [0, 0, 0];
    const number = () => {
      for (let [value, shift] = [0, 0]; ; shift += 7) {
        const byte = bytes[at];
        at += 1;
        value |= (byte & 127) << shift;
        if (byte < 128) return value;
      }
    };
    const difference = () => {
      const value = number();
      return value >>> 1 ^ -(value & 1);
    };
    for (const path of [this.outline, this.borders, this.states]) {
      for (let shapes = number(); shapes > 0; shapes -= 1) {
        const points = number();
        const start = [x + difference(), y + difference()];
        [x, y] = start;
        path.moveTo(x, y);
        for (let point = 1; point < points; point += 1) {
          x += difference();
          y += difference();
          path.lineTo(x, y);
        }
        // With closePath(), Chromium would take 20 times as long for the whole world.
        if (path === this.outline) path.lineTo(...start);
      }
    }
    return bytes.subarray(at);
  }
}
