import NIOCore

/// The tiles of the map's land in one file. `Data/land.py` writes it, and describes its format.
struct LandArchive {
  /// Each tile's bytes by its zoom, column and row, such as "5/16/10".
  let tiles: [String: ByteBuffer]

  /// Reads an archive. Stops the program if it is damaged, because it is a part of it.
  init(_ archive: ByteBuffer) {
    var index = archive
    guard index.readString(length: 4) == "LAND", let count: UInt32 = index.readInteger(endianness: .little) else {
      preconditionFailure("land.bin is no archive of tiles.")
    }
    tiles = Dictionary(
      uniqueKeysWithValues: (0..<count).map { _ in
        let row = index.readMultipleIntegers(endianness: .little, as: (UInt32, UInt32, UInt32, UInt32, UInt32).self)
        guard let (zoom, x, y, offset, length) = row,
          let tile = archive.getSlice(at: Int(offset), length: Int(length))
        else { preconditionFailure("land.bin has an incomplete index.") }
        return ("\(zoom)/\(x)/\(y)", tile)
      })
  }
}
