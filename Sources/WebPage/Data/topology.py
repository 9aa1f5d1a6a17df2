"""Coasts and borders. They are found in the rings of countries and simplified once for both sides."""

import collections
import heapq
import math

# Added before rounding: many of the source's values are halves of the last kept digit, which its noise rounds either
# way.
NUDGE = 0.0000017

# Southern edge of the map in Web Mercator, with a small margin. Points farther south move to it.
SOUTH = -85.06
EDGE = 0.006


def snapped(ring):
    """Returns the points of a ring, open and without repetition. Equal points of neighbours become identical."""
    points = []
    for x, y in ring:
        # Points that the grid would put on an edge of the map are there from the start.
        x = math.copysign(180.0, x) if abs(x) > 180 - EDGE else x
        point = round(x + NUDGE, 5), round((SOUTH if y < SOUTH + EDGE else y) + NUDGE, 5)
        if not points or points[-1] != point:
            points.append(point)
    while len(points) > 1 and points[0] == points[-1]:
        points.pop()
    return points


def area(points):
    """Returns the signed area of an open ring, in square degrees."""
    return sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(points, points[1:] + points[:1])) / 2


class Topology:
    """The segments of rings, with the owners on their sides."""

    def __init__(self):
        self.sides = collections.defaultdict(list)

    def add(self, owner, points):
        """Adds an open ring. Its owner is on the inner side of its segments."""
        for a, b in zip(points, points[1:] + points[:1]):
            self.sides[min(a, b), max(a, b)].append((owner, a, b))

    def coasts(self):
        """Returns the outlines of the land, as open rings: the segments with one side, in their ring's direction."""
        following = collections.defaultdict(list)
        for sides in self.sides.values():
            if len(sides) == 1:
                (_, a, b), = sides
                following[a].append(b)
        found = []
        for start in sorted(following):
            while following[start]:
                ring, point = [start], following[start].pop()
                while point != start:
                    ring.append(point)
                    point = following[point].pop()
                found.append(ring)
        return found

    def borders(self, is_border):
        """Returns the lines between two owners for which `is_border` is true. Lines end where others meet them."""
        near = collections.defaultdict(set)
        coastal = {point for (a, b), sides in self.sides.items() if len(sides) == 1 for point in (a, b)}
        for (a, b), sides in self.sides.items():
            if len(sides) == 2 and sides[0][0] != sides[1][0] and is_border(sides[0][0], sides[1][0]):
                near[a].add(b)
                near[b].add(a)
        ends = {point for point, others in near.items() if len(others) != 2 or point in coastal}
        found = []
        # Walk from all ends first. The segments that remain form rings.
        for start in [*sorted(ends), *sorted(near)]:
            while near[start]:
                line = [start]
                while len(line) == 1 or line[-1] not in ends and line[-1] != start:
                    after = min(near[line[-1]])
                    near[line[-1]].remove(after)
                    near[after].remove(line[-1])
                    line.append(after)
                found.append(line)
        return found


def simplified(points, threshold, weights, pinned=frozenset()):
    """Simplifies a line (Visvalingam): removes the points of the smallest triangles first. Ends and points with a
    pinned index remain. Each point's triangle counts with its weight."""
    count = len(points)

    def size_at(index):
        return triangle(points[before[index]], points[index], points[after[index]]) * weights[index]

    before, after = list(range(-1, count - 1)), list(range(1, count + 1))
    # A closed line must remain a ring.
    left, least = count, 5 if points[0] == points[-1] else 2
    areas = [size_at(i) if 0 < i < count - 1 else None for i in range(count)]
    heap = [(areas[i], i) for i in range(1, count - 1) if i not in pinned]
    heapq.heapify(heap)
    removed = set()
    while heap and left > least:
        size, index = heapq.heappop(heap)
        if index in removed or areas[index] != size:
            continue
        if size >= threshold:
            break
        removed.add(index)
        left -= 1
        a, b = before[index], after[index]
        after[a], before[b] = b, a
        for other in (a, b):
            if 0 < other < count - 1 and other not in pinned:
                # Never less than the last removed point's area, which keeps the order of importance.
                areas[other] = max(size, size_at(other))
                heapq.heappush(heap, (areas[other], other))
    return [point for index, point in enumerate(points) if index not in removed]


def triangle(a, b, c):
    (ax, ay), (bx, by), (cx, cy) = a, b, c
    return abs((bx - ax) * (cy - ay) - (cx - ax) * (by - ay)) / 2
