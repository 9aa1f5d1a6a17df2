import Domain
import Glibc

/// The output of a child process, line by line.
final class ChildOutput: Sendable {
  /// The child's end of the pipe. It stays open as long as this object lives, so the reader never reaches an end of
  /// file.
  let writer: Int32
  private let reader: Int32

  /// Creates the pipe.
  ///
  /// - Throws: `SettingError` if no file descriptor is free.
  init() throws {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0, fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0 else {
      throw SettingError("cannot create a pipe: \(String(cString: strerror(errno))).")
    }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    (reader, writer) = (ends[0], ends[1])
  }

  deinit {
    close(reader)
    close(writer)
  }

  /// Reads lines until the task is cancelled. Omits a line longer than `Limits.conformanceLineBytesMax`.
  func read(_ line: (Substring) -> Void) async throws {
    var rest: [UInt8] = []
    // True while the reader skips the rest of a line that is too long.
    var isTruncated = false
    var buffer = [UInt8](repeating: 0, count: ToolLimits.readBytes)
    while true {
      let count = Glibc.read(reader, &buffer, buffer.count)
      guard count > 0 else {
        try await Task.sleep(for: ToolLimits.childPoll)
        continue
      }
      rest += buffer[..<count]
      while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        if !isTruncated, end <= Limits.conformanceLineBytesMax {
          line(Substring(decoding: rest[..<end], as: UTF8.self))
        }
        isTruncated = false
        rest.removeSubrange(...end)
      }
      if rest.count > Limits.conformanceLineBytesMax { (rest, isTruncated) = ([], true) }
    }
  }
}
