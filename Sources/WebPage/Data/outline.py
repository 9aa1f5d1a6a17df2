#!/usr/bin/env python3
"""Writes ../outline.json, the countries and states of the map, from a pinned package. The same package produces the
same bytes.

usage: outline.py [--cache DIRECTORY]

Needs apt-get and dpkg-deb, and only the Python standard library. NOTICE.md names the source and describes the file.
"""

import gzip
import hashlib
import json
import math
import pathlib

from mending import mended
from packages import cache, shapes
from topology import Topology, area, simplified, snapped

TARGET = pathlib.Path(__file__).resolve().parent.parent / "outline.json"

# Steps per degree: at zoom 7 one step is less than a pixel.
SCALE = 100

# A point is removed if it and its neighbours span less than this area, in square degrees. The unit is a compromise: Web
# Mercator enlarges the north.
THRESHOLD = 0.0006
STATE_THRESHOLD = 0.0006

# Share of a ring's area that limits the removal of its points, so that small islands keep their shape.
PART = 0.03

SMALLEST_ISLE_KM2 = 4
DEGREE_KM = 111.2


def kilometres(points):
    latitude = math.radians(sum(y for _, y in points) / len(points))
    return abs(area(points)) * DEGREE_KM ** 2 * math.cos(latitude)


def kept(rings):
    """Returns a country's rings without its smallest islands. Every country keeps at least one ring."""
    rings = [points for points in map(snapped, rings) if len(points) > 2]
    largest = max(rings, key=lambda points: abs(area(points)))
    return [points for points in rings if points is largest or kilometres(points) >= SMALLEST_ISLE_KM2]


def quantised(points):
    """Returns the arc on the grid, without repeated points. A ring that collapses becomes the smallest square."""
    grid = []
    for x, y in points:
        point = round(x * SCALE), round(y * SCALE)
        if not grid or grid[-1] != point:
            grid.append(point)
    if points[0] == points[-1] and abs(area(grid[:-1])) < 1:
        x, y = grid[0]
        return [(x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1), (x, y)]
    # Both ends of a short arc may fall on one point. It remains as a line without length.
    return grid if len(grid) > 1 else grid * 2


def deltas(grid):
    flat = list(grid[0])
    for a, b in zip(grid, grid[1:]):
        flat += [b[0] - a[0], b[1] - a[1]]
    return flat


def state_lines(directory):
    """Returns the lines between two states of a country, as arcs."""
    _, states = shapes(directory, "states50")
    rings = [(owner, points) for owner, rows in enumerate(states) for points in map(snapped, rows) if len(points) > 2]
    topology, lines = Topology(rings), {}
    for _, points in rings:
        for arc in topology.cut(points):
            if len(topology.kind(arc[0], arc[1])[1]) > 1:
                lines.setdefault(tuple(min(arc, arc[::-1])))
    return list(lines)


class Arcs:
    """The arcs of all countries, each once, grouped by their place in the file."""

    def __init__(self):
        self.groups = {"border": {}, "coast": {}, "seam": {}}
        self.limits = {}

    def add(self, arc, kind, limit):
        """Adds an arc. Returns its key, and True if it runs backwards."""
        forward = tuple(min(arc, arc[::-1]))
        seam, owners = kind
        group = "seam" if seam else "border" if len(owners) > 1 else "coast"
        self.groups[group].setdefault(forward)
        # An arc that two rings share uses the finer limit of both.
        self.limits[forward] = min(limit, self.limits.get(forward, limit))
        return forward, tuple(arc) != forward

    def numbered(self):
        return {arc: number for number, arc in enumerate(arc for group in self.groups.values() for arc in group)}


def outline(directory):
    _, countries = shapes(directory, "countries50")
    countries = mended([kept(rings) for rings in countries])
    topology = Topology([(owner, points) for owner, rings in enumerate(countries) for points in rings])
    lines = state_lines(directory)
    # Coasts keep the points at which states' lines end, so that they meet.
    pinned = {point for line in lines for point in (line[0], line[-1])}
    arcs, parts = Arcs(), []
    for rings in countries:
        parts.append([])
        for points in rings:
            limit = min(THRESHOLD, abs(area(points)) * PART)
            parts[-1].append([arcs.add(arc, topology.kind(arc[0], arc[1]), limit) for arc in topology.cut(points)])
    numbers = arcs.numbered()
    return {
        "scale": SCALE,
        "borders": len(arcs.groups["border"]),
        "seams": len(arcs.groups["seam"]),
        "arcs": [deltas(quantised(simplified(arc, arcs.limits[arc], pinned))) for arc in numbers],
        "countries": [[[~numbers[arc] if backwards else numbers[arc] for arc, backwards in ring] for ring in country]
                      for country in parts],
        "states": [deltas(quantised(simplified(line, STATE_THRESHOLD))) for line in lines],
    }


def main():
    with cache("Writes ../outline.json from a pinned package.") as directory:
        result = outline(directory)
    data = json.dumps(result, separators=(",", ":")).encode() + b"\n"
    TARGET.write_bytes(data)
    points = sum(len(arc) // 2 for arc in result["arcs"])
    print(f"{TARGET.name}: {len(data)} bytes, {len(gzip.compress(data, 9, mtime=0))} packed, {points} points, "
          f"{len(result['arcs'])} arcs ({result['borders']} borders, {result['seams']} seams), "
          f"{len(result['countries'])} countries, {len(result['states'])} lines of states of "
          f"{sum(len(line) // 2 for line in result['states'])} points, sha256 {hashlib.sha256(data).hexdigest()}")


if __name__ == "__main__":
    main()
