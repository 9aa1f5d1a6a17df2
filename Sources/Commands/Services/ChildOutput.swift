import Domain
import Glibc

/// What a child prints, line by line.
final class ChildOutput: Sendable {
  /// The child's end; open as long as this lives, so that the reader meets no end of its own.
  let writer: Int32
  private let reader: Int32

  /// - Throws: `SettingError` where no descriptor is left.
  init() throws {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0, fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0 else {
      throw SettingError("A pipe cannot be made: \(String(cString: strerror(errno))).")
    }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    (reader, writer) = (ends[0], ends[1])
  }

  deinit {
    close(reader)
    close(writer)
  }

  /// Reads until the task is cancelled. A line longer than `Limits.conformanceLineBytesMax` is left out.
  func read(_ line: (Substring) -> Void) async throws {
    var rest: [UInt8] = []
    // Of a line that is too long; what is left of it is none.
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
        if !isTruncated, end <= Limits.conformanceLineBytesMax { line(Substring(decoding: rest[..<end], as: UTF8.self)) }
        isTruncated = false
        rest.removeSubrange(...end)
      }
      if rest.count > Limits.conformanceLineBytesMax { (rest, isTruncated) = ([], true) }
    }
  }
}
