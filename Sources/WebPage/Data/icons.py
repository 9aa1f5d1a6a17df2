"""Draws the icons of the installed page from icon.svg, without a library for images.

Run it after a change of icon.svg: python3 Sources/WebPage/Data/icons.py
"""

import pathlib
import re
import struct
import zlib

FOLDER = pathlib.Path(__file__).resolve().parents[1]
# Each pixel is the mean of this many samples in each direction.
SAMPLES = 4
BLUE, WHITE, WATER = (0x0B, 0x5F, 0xCE), (0xFF, 0xFF, 0xFF), (0xCF, 0xE3, 0xF1)


def outline(path, steps=64):
    """Returns the polygon of an SVG path that has one closed line of the commands M, C, c and s."""
    points, control = [], None
    for command, text in re.findall(r"([MCcsz])([^MCcsz]*)", path):
        numbers = [float(number) for number in re.findall(r"-?(?:\d+\.?\d*|\.\d+)", text)]
        pairs = list(zip(numbers[::2], numbers[1::2]))
        if command == "M":
            points = pairs
            continue
        while pairs:
            start = x, y = points[-1]
            count = 2 if command == "s" else 3
            taken, pairs = pairs[:count], pairs[count:]
            if command != "C":
                taken = [(x + dx, y + dy) for dx, dy in taken]
            # The command `s` mirrors the last control point of the curve before it.
            first = [(2 * x - control[0], 2 * y - control[1])] if command == "s" else []
            curve = [start, *first, *taken]
            control = curve[2]
            points += [bezier(curve, step / steps) for step in range(1, steps + 1)]
    return points


def bezier(curve, t):
    """Returns the point of a cubic Bézier curve at `t`, from 0 to 1."""
    weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
    return tuple(sum(weight * point[axis] for weight, point in zip(weights, curve)) for axis in (0, 1))


def crossings(polygon, y):
    """Returns the two ends of the polygon on a horizontal line, or None. The pin has no line with more than two."""
    found = [
        x0 + (y - y0) / (y1 - y0) * (x1 - x0)
        for (x0, y0), (x1, y1) in zip(polygon, polygon[1:] + polygon[:1]) if (y0 <= y) != (y1 <= y)
    ]
    return (min(found), max(found)) if found else None


def draw(size, scale, background):
    """Returns the rows of a square picture with the pin in its middle, as bytes of red, green, blue and alpha.

    The pin fills `scale` of the picture. Without a background, the picture is transparent around the pin.
    """
    svg = (FOLDER / "icon.svg").read_text()
    polygon = outline(re.search(r' d="([^"]+)"', svg)[1])
    x, y, radius = (float(re.search(rf'<circle[^>]* {name}="([\d.]+)"', svg)[1]) for name in ("cx", "cy", "r"))
    box = float(re.search(r'viewBox="0 0 (\d+)', svg)[1])
    unit = box / (size * scale) / SAMPLES
    edge = box / 2 * (1 / scale - 1)
    for row in range(size):
        lines = []
        for sample in range(SAMPLES):
            at = (row * SAMPLES + sample + 0.5) * unit - edge
            half = max(0, radius**2 - (at - y) ** 2) ** 0.5
            lines.append((crossings(polygon, at), (x - half, x + half)))
        pixels = bytearray()
        for column in range(size):
            blue = white = 0
            for pin, hole in lines:
                for sample in range(SAMPLES):
                    at = (column * SAMPLES + sample + 0.5) * unit - edge
                    if hole[0] < at < hole[1]:
                        white += 1
                    elif pin and pin[0] < at < pin[1]:
                        blue += 1
            pixels += pixel(blue, white, background)
        yield bytes(pixels)


def pixel(blue, white, background):
    """Returns the mean colour of a pixel's samples."""
    every = SAMPLES**2
    rest = every - blue - white if background else 0
    count = blue + white + rest
    if count == 0:
        return bytes(4)
    colours = zip(BLUE, WHITE, background or WATER)
    return bytes([*(round((blue * b + white * w + rest * g) / count) for b, w, g in colours),
                  round(255 * count / every)])


def png(size, rows):
    """Returns a PNG file. (RFC 2083.)"""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", size, size, 8, 6, 0, 0, 0)
    data = zlib.compress(b"".join(b"\0" + row for row in rows), 9)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def main():
    # A system may cut a maskable icon to a circle of 80 % of its width.
    for name, size, scale, background in [
        ("icon-192", 192, 1, None), ("icon-512", 512, 1, None), ("icon-maskable", 512, 0.6, WATER)]:
        (FOLDER / f"{name}.png").write_bytes(png(size, draw(size, scale, background)))


if __name__ == "__main__":
    main()
