"""Reader of land.bin. WebPage/Data/NOTICE.md describes its format."""

import math
import struct

from product import ROOT

ARCHIVE = ROOT / "Sources/WebPage/land.bin"
FINE, EXTENT = 5, 4096


def tile(zoom, x, y):
    """Returns the content of a tile, or None."""
    data = ARCHIVE.read_bytes()
    magic, count = struct.unpack_from("<4sI", data)
    assert magic == b"LAND"
    for row in struct.iter_unpack("<5I", data[8:8 + 20 * count]):
        if row[:3] == (zoom, x, y):
            return data[row[3]:row[3] + row[4]]
    return None


def is_land(latitude, longitude):
    """Returns True if a point is on land in the fine tiles."""
    across = (longitude + 180) / 360 * 2 ** FINE
    down = (0.5 - math.atanh(math.sin(math.radians(latitude))) / (2 * math.pi)) * 2 ** FINE
    x, y = int(across), int(down)
    kind = tile(0, 0, 0)[-(4 ** FINE):][y * 2 ** FINE + x]
    return kind == 1 or kind == 2 and inside((across - x) * EXTENT, (down - y) * EXTENT, rings(tile(FINE, x, y)))


def inside(x, y, rings):
    edges = (edge for ring in rings for edge in zip(ring, ring[1:] + ring[:1]))
    crossings = (x < u + (y - v) / (t - v) * (s - u) for (u, v), (s, t) in edges if (v > y) != (t > y))
    return sum(crossings) % 2 == 1


def rings(content):
    """Returns the rings of a tile's land."""
    values = numbers(content)
    found, x, y = [], 0, 0
    for _ in range(next(values)):
        found.append([])
        for _ in range(next(values)):
            x, y = x + signed(next(values)), y + signed(next(values))
            found[-1].append((x, y))
    return found


def numbers(content):
    value = shift = 0
    for byte in content:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            yield value
            value = shift = 0


def signed(value):
    return ~(value >> 1) if value & 1 else value >> 1
