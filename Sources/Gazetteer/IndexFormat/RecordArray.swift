import Glibc

/// The records of one section.
struct RecordArray<Element: BitwiseCopyable> {
  private let start: UnsafeRawPointer
  let count: Int

  init(
    _ section: IndexLayout.Section, _ file: UnsafeRawBufferPointer, _ path: String
  ) throws(PlaceIndexError) {
    let part = "\(section)"
    let sections = Int(file.integer(at: 32, as: UInt32.self))
    guard sections <= (file.count - IndexLayout.headerBytes) / IndexLayout.entryBytes, let base = file.baseAddress
    else { throw .damaged(path: path, part: "directory") }
    for entry in 0..<sections {
      let at = IndexLayout.headerBytes + entry * IndexLayout.entryBytes
      guard file.integer(at: at, as: UInt32.self) == section.rawValue else { continue }
      let element = file.integer(at: at + 4, as: UInt32.self)
      let offset = file.integer(at: at + 8, as: UInt64.self)
      let count = file.integer(at: at + 16, as: UInt64.self)
      guard Int(element) == section.elementBytes, MemoryLayout<Element>.size == section.elementBytes,
        offset <= UInt64(file.count), offset.isMultiple(of: UInt64(IndexLayout.alignment)),
        count <= (UInt64(file.count) - offset) / UInt64(element), count <= UInt64(UInt32.max)
      else { throw .damaged(path: path, part: part) }
      start = base + Int(offset)
      self.count = Int(count)
      return
    }
    throw .damaged(path: path, part: part)
  }

  @inline(__always)
  subscript(_ number: UInt32) -> Element? {
    guard Int(number) < count else { return nil }
    return start.loadUnaligned(fromByteOffset: Int(number) * MemoryLayout<Element>.size, as: Element.self)
  }

  /// Returns the number of the first record for which `isBefore` is false. The records must be sorted accordingly.
  func partitionPoint(_ isBefore: (Element) -> Bool) -> UInt32 {
    var (low, high) = (UInt32(0), UInt32(count))
    while low < high {
      let middle = low + (high - low) / 2
      if let record = self[middle], isBefore(record) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Returns the bytes of a range of records. Empty if the range is not within the section.
  func slice(_ first: Int, _ end: Int) -> UnsafeRawBufferPointer {
    guard first >= 0, first <= end, end <= count else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    let size = MemoryLayout<Element>.size
    return UnsafeRawBufferPointer(start: start + first * size, count: (end - first) * size)
  }
}

extension UnsafeRawBufferPointer {
  @inline(__always)
  func hasBytes(of other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count, let first = baseAddress, let second = other.baseAddress else {
      return isEmpty && other.isEmpty
    }
    return memcmp(first, second, count) == 0
  }

  /// Reads a little-endian number at an offset that the caller has checked.
  func integer<Value: FixedWidthInteger & BitwiseCopyable>(at offset: Int, as: Value.Type) -> Value {
    Value(littleEndian: loadUnaligned(fromByteOffset: offset, as: Value.self))
  }
}
