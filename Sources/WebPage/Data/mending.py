"""Repairs borders whose outlines differ between neighbours by a few points."""

import collections
import math

# Maximum distance, in degrees, between points of neighbours that are merged.
SAME = 0.003

# Maximum distance, in degrees, of a point from another country's line into which it is inserted.
NEAR = 0.02


def mended(countries):
    """Returns the countries' rings after all repairs. Moves only points that no neighbour shares."""
    countries = [[moved(points, places) for points in rings]
                 for rings, places in zip(countries, joined(unshared(countries)[1], len(countries)))]
    owners, loose = unshared(countries)
    squares = collections.defaultdict(list)
    for point, owner in loose:
        squares[math.floor(point[0]), math.floor(point[1])].append((point, owner))
    return with_holes([[split(points, owner, owners, squares) for points in rings]
                       for owner, rings in enumerate(countries)])


def segments(points):
    return [(min(a, b), max(a, b)) for a, b in zip(points, points[1:] + points[:1])]


def unshared(countries):
    """Returns the owners of every segment, and the points, with their country, of segments with one owner."""
    owners = collections.defaultdict(set)
    for owner, rings in enumerate(countries):
        for points in rings:
            for segment in segments(points):
                owners[segment].add(owner)
    loose = {(point, *names) for segment, names in owners.items() if len(names) == 1 for point in segment}
    return owners, sorted(loose)


def joined(loose, count):
    """Returns, for each country, the new positions of its points that almost equal a neighbour's."""
    places, squares = [{} for _ in range(count)], collections.defaultdict(list)
    for point, owner in loose:
        x, y = math.floor(point[0] / SAME), math.floor(point[1] / SAME)
        near = [other for i in (x - 1, x, x + 1) for j in (y - 1, y, y + 1) for other in squares[i, j]]
        near = [(math.dist(point, place), place) for place, name in near if name != owner]
        if near and min(near)[0] < SAME:
            places[owner][point] = min(near)[1]
        else:
            squares[x, y].append((point, owner))
    return places


def moved(points, places):
    found = []
    for point in points:
        point = places.get(point, point)
        if not found or found[-1] != point:
            found.append(point)
    if len(found) > 1 and found[0] == found[-1]:
        found.pop()
    return found if len(found) > 2 else points


def split(points, owner, owners, squares):
    """Returns the ring with the points of other countries that lie along its unshared segments."""
    found = []
    for a, b in zip(points, points[1:] + points[:1]):
        found.append(a)
        if len(owners[min(a, b), max(a, b)]) == 1:
            found += [point for _, point in sorted(beside(a, b, owner, squares))]
    return found


def beside(a, b, owner, squares):
    """Returns other countries' points along a segment, each with its relative position along it."""
    direction = b[0] - a[0], b[1] - a[1]
    length = math.hypot(*direction)
    found = set()
    for x in range(math.floor(min(a[0], b[0]) - NEAR), math.floor(max(a[0], b[0]) + NEAR) + 1):
        for y in range(math.floor(min(a[1], b[1]) - NEAR), math.floor(max(a[1], b[1]) + NEAR) + 1):
            for point, other in squares.get((x, y), ()):
                if other != owner and point not in (a, b):
                    along = ((point[0] - a[0]) * direction[0] + (point[1] - a[1]) * direction[1]) / length ** 2
                    across = abs((point[0] - a[0]) * direction[1] - (point[1] - a[1]) * direction[0]) / length
                    if 0 < along < 1 and across < NEAR:
                        found.add((along, point))
    return found


def box(points):
    xs, ys = zip(*points)
    return min(xs), min(ys), max(xs), max(ys)


def inside(point, points):
    """Returns True if a point lies in a ring."""
    x, y = point
    crossings = 0
    for a, b in zip(points, points[1:] + points[:1]):
        if (a[1] > y) != (b[1] > y) and x < a[0] + (y - a[1]) / (b[1] - a[1]) * (b[0] - a[0]):
            crossings += 1
    return crossings % 2 == 1


def with_holes(countries):
    """Returns the countries with holes for the countries that lie within them, such as Vatican City."""
    boxes = [[box(points) for points in rings] for rings in countries]
    found = [list(rings) for rings in countries]
    for owner, rings in enumerate(countries):
        for ring, points in enumerate(rings):
            for other in range(len(countries)):
                if other != owner and covers(countries[other], boxes[other], points, boxes[owner][ring]):
                    found[other].append(points)
    return found


def covers(rings, boxes, points, bounds):
    """Returns True if all points of a ring lie in a country, and none on its outline."""
    around = [points for points, limits in zip(rings, boxes)
              if limits[0] < bounds[0] and limits[1] < bounds[1] and limits[2] > bounds[2] and limits[3] > bounds[3]]
    return bool(around) and sum(inside(points[0], ring) for ring in around) % 2 == 1 \
        and not any(point in ring for ring in map(set, rings) for point in points)
