import Synchronization

/// Shows on standard error how much of the input has been read.
final class ReadProgress: Sendable {
  private let total: Int?
  private let line = ProgressLine()
  private let done = Mutex(0)

  /// - Parameter total: bytes, nil where they are not known.
  init(total: Int?) { self.total = total }

  /// Counts bytes that have been read.
  func add(_ bytes: Int) {
    let done = done.withLock { done in
      done += bytes
      return done
    }
    line.draw(Self.line(done: done, total: total))
  }

  static func line(done: Int, total: Int?) -> String {
    let megabytes = "\(done >> 20) MB"
    guard let total, total > 0 else { return "reading  \(megabytes)" }
    return "reading  \(ProgressLine.bar(min(Double(done) / Double(total), 1)))  \(megabytes) of \(total >> 20) MB"
  }

  /// Erases the line.
  func clear() { line.clear() }
}
