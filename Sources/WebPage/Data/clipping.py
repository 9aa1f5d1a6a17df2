"""Cuts of rings and lines along the edges of tiles."""


def between(shapes, axis, low, high, cut):
    """Returns the parts of shapes with low ≤ coordinate ≤ high on an axis. `cut` is `ring` or `line`."""
    found = []
    for points in shapes:
        least, most = min(point[axis] for point in points), max(point[axis] for point in points)
        if low <= least and most <= high:
            found.append(points)
        elif least <= high and low <= most:
            found += [part for piece in cut(points, axis, low, 1) for part in cut(piece, axis, high, -1)]
    return found


def ring(points, axis, edge, sign):
    """Returns the part of an open ring beyond an edge (Sutherland–Hodgman). Separate parts are joined along the
    edge."""
    found = []
    for a, b in zip(points[-1:] + points, points):
        inside = (b[axis] - edge) * sign >= 0
        if inside != ((a[axis] - edge) * sign >= 0):
            found.append(crossing(a, b, axis, edge))
        if inside:
            found.append(b)
    return [found] if len(found) > 2 else []


def line(points, axis, edge, sign):
    """Returns the parts of a line beyond an edge."""
    found, part = [], []
    for a, b in zip(points[:1] + points, points):
        inside = (b[axis] - edge) * sign >= 0
        if inside != ((a[axis] - edge) * sign >= 0):
            part.append(crossing(a, b, axis, edge))
            if not inside:
                found.append(part)
                part = []
        if inside:
            part.append(b)
    return [part for part in [*found, part] if len(part) > 1]


def crossing(a, b, axis, edge):
    share = (edge - a[axis]) / (b[axis] - a[axis])
    other = a[1 - axis] + share * (b[1 - axis] - a[1 - axis])
    return (edge, other) if axis == 0 else (other, edge)


def tiles(zoom, side, buffer, rings, *lines):
    """Yields column, row and layers of each tile of a zoom, with a buffer around it, in units from its corner.

    `rings` and `lines` are layers of shapes, in units from the corner of the whole world. A tile has `side` units. The
    world is cut into quarters again and again, so that each shape is read only near it.
    """
    cuts = [ring, *[line] * len(lines)]

    def quarter(x, y, depth, layers):
        if depth == zoom:
            yield x, y, [[[(u - x * side, v - y * side) for u, v in points] for points in shapes] for shapes in layers]
            return
        for column in (2 * x, 2 * x + 1):
            halves = within(0, column, depth + 1, layers)
            for row in (2 * y, 2 * y + 1):
                yield from quarter(column, row, depth + 1, within(1, row, depth + 1, halves))

    def within(axis, index, depth, layers):
        size = side * 2 ** (zoom - depth)
        low, high = index * size - buffer, (index + 1) * size + buffer
        return [between(shapes, axis, low, high, cut) for shapes, cut in zip(layers, cuts)]

    yield from quarter(0, 0, 0, [rings, *lines])
