"""Reads the data sets of an R package: its lazy-load database and R's binary serialization (XDR)."""

import bz2
import gzip
import lzma
import struct
import zlib

NIL, GLOBAL, REFERENCE, EMPTY = 254, 253, 255, 242
SYMBOL, PAIRS, CHARACTERS, LOGICAL, INTEGER, REAL, STRINGS, VECTOR, S4 = 1, 2, 9, 10, 13, 14, 16, 19, 25
HAS_ATTRIBUTES, HAS_TAG = 0x200, 0x400
MISSING = -2147483648


class Value(list):
    """A vector of R with its attributes. An object of class S4 is an empty vector."""

    def __init__(self, items=(), attributes=None):
        super().__init__(items)
        self.attributes = attributes or {}

    def named(self):
        return dict(zip(self.attributes["names"], self))


class Reader:
    """Reads one serialized value. Supports only the kinds that tables and shapes use."""

    def __init__(self, data):
        self.data, self.at, self.references = data, 0, []

    def read(self):
        if self.data[:2] != b"X\n":
            raise ValueError("not XDR")
        self.at = 2
        version, _, _ = self.integers(3)
        if version == 3:
            self.take(self.integers(1)[0])
        return self.item()

    def take(self, count):
        self.at += count
        return self.data[self.at - count:self.at]

    def integers(self, count):
        return struct.unpack(f">{count}i", self.take(4 * count))

    def item(self):
        flags, = self.integers(1)
        kind = flags & 0xFF
        if kind in (NIL, GLOBAL, EMPTY):
            return None
        if kind == REFERENCE:
            return self.references[(flags >> 8 or self.integers(1)[0]) - 1]
        if kind == SYMBOL:
            self.references.append(self.item())
            return self.references[-1]
        if kind == PAIRS:
            return self.pairs(flags)
        if kind == CHARACTERS:
            length, = self.integers(1)
            return None if length == -1 else self.take(length).decode("latin-1" if flags & 0x4000 else "utf-8")
        value = Value(self.items(kind))
        if flags & HAS_ATTRIBUTES:
            value.attributes = self.item()
        return value

    def pairs(self, flags):
        """Reads a linked list with tags as a dictionary."""
        found = {}
        while flags & 0xFF == PAIRS:
            if flags & HAS_ATTRIBUTES:
                self.item()
            tag = self.item() if flags & HAS_TAG else len(found)
            found[tag] = self.item()
            flags, = self.integers(1)
        return found

    def items(self, kind):
        if kind == S4:
            return []
        length, = self.integers(1)
        if kind in (LOGICAL, INTEGER):
            return [None if value == MISSING else value for value in self.integers(length)]
        if kind == REAL:
            return struct.unpack(f">{length}d", self.take(8 * length))
        if kind in (STRINGS, VECTOR):
            return [self.item() for _ in range(length)]
        raise ValueError(f"kind {kind} at {self.at}")


def unpack(data, compression):
    """Decompresses a block of a lazy-load database: the decompressed length, a letter for the compression, the data."""
    if compression == 1:
        return zlib.decompress(data[4:])
    letter, rest = data[4:5], data[5:]
    if letter == b"Z":
        # R writes a raw LZMA2 stream with these properties.
        filters = [{"id": lzma.FILTER_LZMA2, "preset": 6}]
        return lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=filters).decompress(rest)
    return {b"2": bz2.decompress, b"0": bytes}[letter](rest)


def table(index, base, name):
    """Returns a data set by its name, from the bytes of a package's .rdx and .rdb files."""
    contents = Reader(gzip.decompress(index)).read().named()
    offset, length = contents["variables"].named()[name]
    return Reader(unpack(base[offset:offset + length], contents["compressed"][0])).read()


def strings(column):
    """Returns a column of text, which may be a factor."""
    levels = column.attributes.get("levels")
    return [None if item is None else levels[item - 1] for item in column] if levels else list(column)
