"""Reader of the polygons in a shapefile."""

import struct

HEADER = 100


def shapes(file):
    """Returns the rings of every shape. Each ring is a closed list of points."""
    found, position = [], HEADER
    while position < len(file):
        words, = struct.unpack_from(">4xI", file, position)
        # After the record's header and the shape's kind and box: the starts of its parts, and then all points.
        parts, count = struct.unpack_from("<II", file, position + 44)
        starts = [*struct.unpack_from(f"<{parts}I", file, position + 52), count]
        numbers = struct.unpack_from(f"<{2 * count}d", file, position + 52 + 4 * parts)
        points = list(zip(numbers[::2], numbers[1::2]))
        found.append([points[start:end] for start, end in zip(starts, starts[1:])])
        position += 8 + 2 * words
    return found
