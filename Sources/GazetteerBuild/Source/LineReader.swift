import Glibc

/// A reader of the lines of a file or pipe.
struct LineReader {
  private let fileDescriptor: Int32
  private let name: String
  /// Called with the number of bytes read, after each chunk of at most a megabyte.
  var progress: (Int) -> Void = { _ in }

  /// Creates a reader. The caller closes the descriptor.
  ///
  /// - Parameter name: The file's name, for errors.
  init(_ fileDescriptor: Int32, name: String) {
    self.fileDescriptor = fileDescriptor
    self.name = name
  }

  /// Calls `body` with each line and its number from 1. The line comes without its line feed and a carriage return
  /// before it.
  ///
  /// - Throws: `GazetteerBuildError.unreadable`, `.source` for a line longer than `GazetteerBuildLimits.lineBytes`, and
  ///   the errors of `body`.
  func forEach(
    _ body: (UnsafeBufferPointer<UInt8>, _ number: Int) throws(GazetteerBuildError) -> Void
  ) throws(GazetteerBuildError) {
    var pending: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: GazetteerBuildLimits.readBytes)
    var lines = 0
    while true {
      let count = Glibc.read(fileDescriptor, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .unreadable(path: name, code: errno) }
      // The last line may lack a line feed.
      if count == 0, pending.isEmpty { return }
      if count == 0 { pending.append(UInt8(ascii: "\n")) }
      pending += chunk[..<count]
      progress(count)
      let consumed = try Self.lines(of: pending, &lines, body)
      pending.removeFirst(consumed)
      guard pending.count <= GazetteerBuildLimits.lineBytes else { throw Self.tooLong(lines + 1) }
    }
  }

  private static func tooLong(_ line: Int) -> GazetteerBuildError {
    .source(line: line, reason: "longer than \(GazetteerBuildLimits.lineBytes) bytes")
  }

  /// Passes the complete lines of a text to `body`. Returns the number of bytes they take.
  private static func lines(
    of text: [UInt8], _ lines: inout Int,
    _ body: (UnsafeBufferPointer<UInt8>, Int) throws(GazetteerBuildError) -> Void
  ) throws(GazetteerBuildError) -> Int {
    var start = 0
    var failure: GazetteerBuildError?
    text.withUnsafeBufferPointer { text in
      while let end = text[start...].firstIndex(of: UInt8(ascii: "\n")) {
        lines += 1
        guard end - start <= GazetteerBuildLimits.lineBytes else {
          failure = tooLong(lines)
          return
        }
        let hasCarriageReturn = end > start && text[end - 1] == UInt8(ascii: "\r")
        do throws(GazetteerBuildError) {
          try body(UnsafeBufferPointer(rebasing: text[start..<(hasCarriageReturn ? end - 1 : end)]), lines)
        } catch {
          failure = error
          return
        }
        start = end + 1
      }
    }
    if let failure { throw failure }
    return start
  }
}
