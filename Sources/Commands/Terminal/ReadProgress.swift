import Synchronization

/// The progress of reading an input, on standard error.
final class ReadProgress: Sendable {
  private let total: Int?
  private let line = ProgressLine()
  private let done = Mutex(0)

  /// Creates the progress of an input.
  ///
  /// - Parameter total: Length of the input in bytes. Nil if it is unknown.
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
