#!/usr/bin/env python3
"""Writes ../land.bin, the land of the map in tiles, from pinned packages. The same packages produce the same bytes.

usage: land.py [--cache DIRECTORY]

Needs pip, apt-get and dpkg-deb, and only the Python standard library. NOTICE.md names the sources and describes the
file.
"""

import gzip
import hashlib
import math
import pathlib
import struct

import packages
from clipping import tiles
from topology import SOUTH, Topology, area, simplified, snapped

TARGET = pathlib.Path(__file__).resolve().parent.parent / "land.bin"
MAGIC = b"LAND"

# Zoom of the tiles with all details. Tile 0/0/0 is the other tier.
FINE = 5
# Units of a tile's side: pixels four zooms deeper.
EXTENT = 4096
# Units by which a tile's shapes extend beyond its edges. The strokes along the cuts are there, out of sight.
BUFFER = 32

# A point is removed if it and its neighbours span less than this area, in square units.
THRESHOLD = {0: 3, FINE: 6}
# Share of a ring's area that limits the removal of its points, so that small islands keep their shape.
PART = 0.05
# Islands below this area, in square units, are left out, except a country's largest.
SMALLEST_ISLE = {0: 0.5, FINE: 0}
# The projection enlarges the shapes toward the poles, where few people live. Details matter less beyond this latitude.
NORTH = 50
# Only Antarctica lies south of this latitude. It is seen at low zooms only.
ANTARCTIC, ANTARCTIC_WEIGHT = -60, 0.02

# A point of the one sea that the land surrounds. All other holes in it are land that belongs to no country.
CASPIAN = 52, 41
# Such land with less area, in square degrees, is an error of the source and gets no border.
SMALLEST_DISPUTE = 0.01
# Countries with lines between their states.
FEDERAL = {"AUS", "BRA", "CAN", "USA"}

# Kinds of fine tiles, in the order of their numbers.
WATER, LAND, FILE = range(3)


def projected(point):
    """Returns a point's position on the map's square, 0 to 1 from its north-western corner. (Web Mercator,
    EPSG:3857.) The land's ends at the edges of the map move beyond them, where no stroke shows."""
    x, y = point
    if abs(x) == 180:
        x += math.copysign(0.1, x)
    sine = math.sin(math.radians(y))
    return (x + 180) / 360, 1.001 if y == SOUTH else 0.5 - math.atanh(sine) / (2 * math.pi)


def outlines(directory):
    """Returns the coasts as open rings, a point of each country's largest ring, and the borders."""
    topology, largest = Topology(), set()
    for owner, rings in enumerate(packages.countries(directory)):
        rings = opened(rings)
        for points in rings:
            topology.add(owner, points)
        largest.add(max(rings, key=lambda points: abs(area(points)))[0])
    for hole in topology.coasts():
        if area(hole) > 0 and not surrounds(hole, CASPIAN):
            (owner, _, _), = topology.sides[min(hole[:2]), max(hole[:2])]
            topology.add(owner if area(hole) < SMALLEST_DISPUTE else hole[0], hole)
    return topology.coasts(), largest, topology.borders(lambda a, b: True)


def opened(rings):
    return [points for points in map(snapped, rings) if len(points) > 2]


def surrounds(points, point):
    """Returns True if a point is in a ring's bounding box."""
    return all(min(p[axis] for p in points) < point[axis] < max(p[axis] for p in points) for axis in (0, 1))


def state_lines(directory):
    topology = Topology()
    for owner, (country, rings) in enumerate(packages.states(directory)):
        for points in opened(rings):
            topology.add((country, owner), points)
    return topology.borders(lambda a, b: a[0] == b[0] and a[0] in FEDERAL)


def weight(latitude):
    """Returns the weight of a point's triangle at a latitude."""
    if latitude < ANTARCTIC:
        return ANTARCTIC_WEIGHT
    return min(1, math.cos(math.radians(latitude)) / math.cos(math.radians(NORTH))) ** 4


def drawn(points, zoom):
    """Returns points in units of a zoom's tiles."""
    side = EXTENT * 2 ** zoom
    return [(x * side, y * side) for x, y in map(projected, points)]


def reduced(points, zoom, limit, pinned=frozenset()):
    """Returns the points of a line that the tiles of a zoom need, in their units."""
    indexes = {index for index, point in enumerate(points) if point in pinned}
    return simplified(drawn(points, zoom), limit, [weight(latitude) for _, latitude in points], indexes)


def land(zoom, coasts, largest, borders):
    """Returns the simplified coasts, in units of a zoom's tiles."""
    ends = {point for border in borders for point in (border[0], border[-1])}
    found = []
    for points in coasts:
        size = abs(area(drawn(points, zoom)))
        if size < SMALLEST_ISLE[zoom] and largest.isdisjoint(points):
            continue
        if size < 1:
            (x, y), = drawn(points[:1], zoom)
            found.append([(x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1)])
            continue
        # Start at a point that remains, such as a border's end.
        start = next((index for index, point in enumerate(points) if point in ends), 0)
        ring = points[start:] + points[:start + 1]
        found.append(reduced(ring, zoom, min(THRESHOLD[zoom], size * PART), ends)[:-1])
    return found


def rounded(points):
    """Returns points on the grid, without repetition."""
    found = []
    for x, y in points:
        point = round(x), round(y)
        if not found or found[-1] != point:
            found.append(point)
    return found


def rings_on_grid(rings):
    return [points for points in map(rounded, rings) if len(points) > 2 and area(points)]


def lines_on_grid(lines):
    return [points for points in map(rounded, lines) if len(points) > 1]


def kind(rings, borders, states):
    """Returns a fine tile's kind. Land without coasts has one ring, along the edges of the buffer."""
    low, high = -BUFFER, EXTENT + BUFFER
    if borders or states or len(rings) > 1:
        return FILE
    if not rings:
        return WATER
    is_whole = abs(area(rings[0])) == (high - low) ** 2
    return LAND if is_whole and all(x in (low, high) or y in (low, high) for x, y in rings[0]) else FILE


def bodies(directory):
    """Returns the content of each tile by its zoom, column and row."""
    coasts, largest, borders = outlines(directory)
    states = state_lines(directory)
    found, kinds = {}, bytearray(4 ** FINE)

    def shapes(zoom):
        return [land(zoom, coasts, largest, borders),
                [reduced(line, zoom, THRESHOLD[zoom]) for line in borders],
                [reduced(line, zoom, THRESHOLD[zoom]) for line in states]]

    for x, y, (rings, *lines) in tiles(FINE, EXTENT, BUFFER, *shapes(FINE)):
        layers = [rings_on_grid(rings), *map(lines_on_grid, lines)]
        kinds[y * 2 ** FINE + x] = code = kind(*layers)
        if code == FILE:
            found[FINE, x, y] = packed(layers)
    rings, lines, _ = shapes(0)
    found[0, 0, 0] = packed([rings_on_grid(rings), lines_on_grid(lines), []]) + kinds
    return dict(sorted(found.items()))


def packed(layers):
    """Returns a tile's content: for each layer the count of shapes; for each shape the count of points; for each point
    the difference from the previous one in the tile. NOTICE.md has the details."""
    data, x, y = bytearray(), 0, 0
    for shapes in layers:
        data += varint(len(shapes))
        for points in shapes:
            data += varint(len(points))
            for u, v in points:
                data += varint(zigzag(u - x)) + varint(zigzag(v - y))
                x, y = u, v
    return bytes(data)


def varint(number):
    """Returns a number in groups of seven bits, least significant first. All but the last have the highest bit."""
    data = bytearray()
    while number > 127:
        data.append(number & 127 | 128)
        number >>= 7
    data.append(number)
    return data


def zigzag(number):
    return number << 1 if number >= 0 else ~(number << 1)


def archive(found):
    """Returns the file: the magic number, the count of tiles, a row for each tile, and then the tiles' contents.

    A row has zoom, column, row, offset from the start of the file, and length. All these numbers are little-endian and
    unsigned, with 32 bits. The tiles are in the order of their zoom, column and row.
    """
    index, offset = struct.pack("<I", len(found)), len(MAGIC) + 4 + 20 * len(found)
    for (zoom, x, y), body in found.items():
        index += struct.pack("<5I", zoom, x, y, offset, len(body))
        offset += len(body)
    return MAGIC + index + b"".join(found.values())


def main():
    with packages.cache("Writes ../land.bin from pinned packages.") as directory:
        found = bodies(directory)
    data = archive(found)
    TARGET.write_bytes(data)
    sizes = {tile: len(gzip.compress(body, 9, mtime=0)) for tile, body in found.items()}
    first = sizes.pop((0, 0, 0))
    largest = max(sizes, key=sizes.get)
    print(f"{TARGET.name}: {len(data)} bytes. Packed: tile 0/0/0 {first}; {len(sizes)} tiles {sum(sizes.values())}, "
          f"largest {'/'.join(map(str, largest))} {sizes[largest]}, median {sorted(sizes.values())[len(sizes) // 2]}. "
          f"sha256 {hashlib.sha256(data).hexdigest()}")


if __name__ == "__main__":
    main()
