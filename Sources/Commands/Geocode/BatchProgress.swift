import Domain
import Foundation

/// The progress of a batch, and its bar on standard error if that is a terminal.
struct BatchProgress: Sendable {
  /// Number of rows by outcome.
  struct Counts: Sendable {
    var found = 0
    var notFound = 0
    /// Invalid rows.
    var wrong = 0

    var rows: Int { found + notFound + wrong }

    mutating func add(isFound: Bool) {
      if isFound { found += 1 } else { notFound += 1 }
    }
  }

  private(set) var counts = Counts()
  private let start = ContinuousClock.now
  private let line = ProgressLine()
  private var shown = ContinuousClock.now
  /// Bytes of the rest of the file. Nil for a pipe, whose length is unknown.
  private let bytesTotal: Int?

  init(descriptor: Int32) {
    // A seek fails on a pipe.
    let now = lseek(descriptor, 0, SEEK_CUR)
    let end = now < 0 ? -1 : lseek(descriptor, 0, SEEK_END)
    if now >= 0 { lseek(descriptor, now, SEEK_SET) }
    bytesTotal = end > now ? end - now : nil
  }

  /// The counts and the rate as text for people.
  var summary: String {
    "\(counts.rows) rows: \(counts.found) found, \(counts.notFound) not found, \(counts.wrong) invalid; "
      + "\(String(format: "%.2f", seconds)) s, \(rate) rows/s"
  }

  mutating func add(_ more: Counts, bytesRead: Int) {
    counts.found += more.found
    counts.notFound += more.notFound
    counts.wrong += more.wrong
    guard line.isShown, ContinuousClock.now - shown > ToolLimits.progressInterval else { return }
    shown = .now
    line.draw(bar(bytesRead: bytesRead) + "\(counts.rows) rows  \(rate) rows/s")
  }

  /// Erases the bar.
  func clear() { line.clear() }

  private func bar(bytesRead: Int) -> String {
    guard let bytesTotal else { return "" }
    return ProgressLine.bar(min(1, Double(bytesRead) / Double(bytesTotal))) + "  "
  }

  private var seconds: Double { (ContinuousClock.now - start) / .seconds(1) }
  private var rate: Int { Int(Double(counts.rows) / max(seconds, 0.001)) }
}
