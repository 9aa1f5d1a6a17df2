import Glibc

/// Lines of a file or pipe, one after the other.
struct LineReader {
  private let fileDescriptor: Int32
  private let name: String
  /// Told how many bytes have been read, after each piece of a megabyte.
  var progress: (Int) -> Void = { _ in }

  /// - Parameter name: of the file, for errors. The caller closes the descriptor.
  init(_ fileDescriptor: Int32, name: String) {
    self.fileDescriptor = fileDescriptor
    self.name = name
  }

  /// Calls the body with each line, without its line feed and the carriage return before it, and its number from 1.
  /// Throws `GazetteerBuildError.unreadable`, `.source` for a line longer than `GazetteerBuildLimits.lineBytes`, and
  /// what the body throws.
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
      // What ends without a line feed is a line too.
      if count == 0, pending.isEmpty { return }
      if count == 0 { pending.append(UInt8(ascii: "\n")) }
      pending += chunk[..<count]
      progress(count)
      let taken = try Self.lines(of: pending, &lines, body)
      pending.removeFirst(taken)
      guard pending.count <= GazetteerBuildLimits.lineBytes else { throw Self.tooLong(lines + 1) }
    }
  }

  private static func tooLong(_ line: Int) -> GazetteerBuildError {
    .source(line: line, reason: "longer than \(GazetteerBuildLimits.lineBytes) bytes")
  }

  /// Takes the complete lines of a text and returns how many bytes they take.
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
        let isReturned = end > start && text[end - 1] == UInt8(ascii: "\r")
        do throws(GazetteerBuildError) {
          try body(UnsafeBufferPointer(rebasing: text[start..<(isReturned ? end - 1 : end)]), lines)
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
