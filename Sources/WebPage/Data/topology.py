"""Arcs that neighbours share. They are cut out of rings and simplified once for both sides."""

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


def is_seam(a, b):
    """Returns True if a segment runs along the antimeridian or the southern edge. It closes a fill but is no coast."""
    return a[0] == b[0] and abs(a[0]) == 180 or a[1] == b[1] == SOUTH


class Topology:
    """The arcs of rings that have owners."""

    def __init__(self, rings):
        """Indexes `rings`, a list of (owner, points)."""
        self.owners, self.neighbours = collections.defaultdict(set), collections.defaultdict(set)
        self.rings = rings
        for owner, points in rings:
            for a, b in zip(points, points[1:] + points[:1]):
                self.owners[min(a, b), max(a, b)].add(owner)
                self.neighbours[a].add(b)
                self.neighbours[b].add(a)

    def kind(self, a, b):
        """Returns the properties that all segments of an arc share."""
        return is_seam(a, b), frozenset(self.owners[min(a, b), max(a, b)])

    def is_junction(self, point):
        near = list(self.neighbours[point])
        return len(near) != 2 or self.kind(point, near[0]) != self.kind(point, near[1])

    def cut(self, points):
        """Returns the arcs of a ring, in its direction. A ring that meets no other is one arc that ends where it
        starts."""
        cuts = [index for index, point in enumerate(points) if self.is_junction(point)]
        if not cuts:
            start = points.index(min(points))
            return [points[start:] + points[:start + 1]]
        turned = points[cuts[0]:] + points[:cuts[0] + 1]
        ends = [index - cuts[0] for index in cuts] + [len(points)]
        return [turned[start:end + 1] for start, end in zip(ends, ends[1:])]


def simplified(points, threshold, pinned=frozenset()):
    """Simplifies an arc (Visvalingam): removes the points of the smallest triangles first. Ends and pinned points
    remain."""
    count = len(points)
    before, after = list(range(-1, count - 1)), list(range(1, count + 1))
    # A closed arc must remain a ring.
    left, least = count, 5 if points[0] == points[-1] else 2
    areas = [triangle(points, i - 1, i, i + 1) if 0 < i < count - 1 else None for i in range(count)]
    heap = [(areas[i], i) for i in range(1, count - 1) if points[i] not in pinned]
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
            if 0 < other < count - 1 and points[other] not in pinned:
                # Never less than the last removed point's area, which keeps the order of importance.
                areas[other] = max(size, triangle(points, before[other], other, after[other]))
                heapq.heappush(heap, (areas[other], other))
    return [point for index, point in enumerate(points) if index not in removed]


def triangle(points, a, b, c):
    (ax, ay), (bx, by), (cx, cy) = points[a], points[b], points[c]
    return abs((bx - ax) * (cy - ay) - (cx - ax) * (by - ay)) / 2
