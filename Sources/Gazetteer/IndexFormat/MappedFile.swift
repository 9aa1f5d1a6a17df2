import Glibc

/// A file that is mapped for reading and shared by all processes that map it. Replace the file only by renaming a new
/// one over it: truncating a mapped file would kill this process.
final class MappedFile: Sendable {
  /// Bytes of the file. Valid as long as this object lives.
  nonisolated(unsafe) let bytes: UnsafeRawBufferPointer

  /// Maps the file.
  ///
  /// - Throws: `PlaceIndexError.unreadable`, or `.truncated` for a file that is shorter than a header.
  init(path: String) throws(PlaceIndexError) {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw .unreadable(path: path, code: errno) }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw .unreadable(path: path, code: errno) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .unreadable(path: path, code: EINVAL) }
    let size = Int(status.st_size)
    guard size >= IndexLayout.headerBytes else {
      throw .truncated(path: path, bytes: size, expected: UInt64(IndexLayout.headerBytes))
    }
    guard let start = mmap(nil, size, PROT_READ, MAP_SHARED, file, 0), start != MAP_FAILED else {
      throw .unreadable(path: path, code: errno)
    }
    bytes = UnsafeRawBufferPointer(start: start, count: size)
  }

  deinit {
    munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count)
  }
}
