import Gazetteer
import Glibc

/// A writer of an index file, which collects its sections in memory.
struct IndexFile {
  private var sections: [(id: IndexLayout.Section, count: Int, bytes: [UInt8])] = []
  private let builtAt: Int64

  init(builtAt: Int64) { self.builtAt = builtAt }

  mutating func add(_ section: IndexLayout.Section, _ records: [some BitwiseCopyable]) {
    sections.append((section, records.count, padded(records.withUnsafeBytes(Array.init))))
  }

  /// Writes the file under a temporary name, flushes it and renames it.
  ///
  /// - Throws: `GazetteerBuildError.unwritable`. An old file at the path is then unchanged.
  func write(to path: String) throws(GazetteerBuildError) {
    let temporary = "\(path).\(getpid()).new"
    let file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard file >= 0 else { throw .unwritable(path: path, code: errno) }
    let isWritten = write(header(), to: file) && sections.allSatisfy { write($0.bytes, to: file) }
    // Short-circuit evaluation keeps the first error number.
    let isDone = isWritten && fsync(file) == 0 && rename(temporary, path) == 0
    let code = errno
    close(file)
    guard isDone else {
      unlink(temporary)
      throw .unwritable(path: path, code: code)
    }
    synchroniseDirectory(of: path)
  }

  private func header() -> [UInt8] {
    var offset = Self.aligned(IndexLayout.headerBytes + sections.count * IndexLayout.entryBytes)
    var directory: [UInt8] = []
    for section in sections {
      Self.append(section.id.rawValue, to: &directory)
      Self.append(UInt32(section.id.elementBytes), to: &directory)
      Self.append(UInt64(offset), to: &directory)
      Self.append(UInt64(section.count), to: &directory)
      offset += section.bytes.count
    }
    var header = IndexLayout.magic
    Self.append(IndexLayout.version, to: &header)
    Self.append(Fold.version, to: &header)
    Self.append(UInt32(0), to: &header)
    Self.append(UInt64(offset), to: &header)
    Self.append(builtAt, to: &header)
    Self.append(UInt32(sections.count), to: &header)
    header += [UInt8](repeating: 0, count: IndexLayout.headerBytes - header.count)
    header = padded(header + directory)
    var sum = Checksum()
    header.withUnsafeBytes { sum.add($0) }
    for section in sections { section.bytes.withUnsafeBytes { sum.add($0) } }
    withUnsafeBytes(of: sum.value.littleEndian) {
      header.replaceSubrange(IndexLayout.checksumOffset..<IndexLayout.checksumOffset + $0.count, with: $0)
    }
    return header
  }

  private func padded(_ bytes: [UInt8]) -> [UInt8] {
    bytes + [UInt8](repeating: 0, count: Self.aligned(bytes.count) - bytes.count)
  }

  private static func aligned(_ size: Int) -> Int {
    (size + IndexLayout.alignment - 1) / IndexLayout.alignment * IndexLayout.alignment
  }

  private static func append(_ value: some FixedWidthInteger, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: value.littleEndian) { bytes += $0 }
  }

  private func write(_ bytes: [UInt8], to file: Int32) -> Bool {
    var written = 0
    return bytes.withUnsafeBytes { buffer in
      while written < buffer.count {
        let count = Glibc.write(file, buffer.baseAddress.map { $0 + written }, buffer.count - written)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return false }
        written += count
      }
      return true
    }
  }

  /// Flushes the directory, which makes the rename durable. Ignores errors: the file is complete without it.
  private func synchroniseDirectory(of path: String) {
    let directory = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }
}
