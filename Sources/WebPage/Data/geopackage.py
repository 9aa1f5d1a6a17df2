"""Reader of the polygons in a GeoPackage, a database of SQLite."""

import sqlite3
import struct

# Size of a geometry's bounding box by its kind, which is in the header's flags.
BOXES = {0: 0, 1: 32, 2: 48, 3: 48, 4: 64}
MULTIPOLYGON = 6


def shapes(path, table, column):
    """Returns a column's value and the rings of every row. Each ring is a closed list of points."""
    connection = sqlite3.connect(path)
    rows = connection.execute(f"SELECT {column}, geom FROM {table} ORDER BY fid").fetchall()
    connection.close()
    return [(value, rings(geometry)) for value, geometry in rows]


def rings(geometry):
    """Returns the rings of a multipolygon in little-endian well-known binary (WKB)."""
    position, found = 8 + BOXES[geometry[3] >> 1 & 7], []

    def read(form):
        nonlocal position
        values = struct.unpack_from(form, geometry, position)
        position += struct.calcsize(form)
        return values

    _, kind, polygons = read("<BII")
    assert kind == MULTIPOLYGON
    for _ in range(polygons):
        _, _, count = read("<BII")
        for _ in range(count):
            size, = read("<I")
            numbers = read(f"<{2 * size}d")
            found.append(list(zip(numbers[::2], numbers[1::2])))
    return found
