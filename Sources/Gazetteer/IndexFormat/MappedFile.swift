import Glibc

/// A whole file mapped for reading and shared by all processes that map it. Whoever replaces the file renames a new one
/// over it: cutting a mapped file short would end this process.
final class MappedFile: Sendable {
  /// Lives as long as this object.
  nonisolated(unsafe) let bytes: UnsafeRawBufferPointer

  /// Throws `PlaceIndexError.unreadable`, or `.truncated` for an empty file.
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
