import Domain
import Foundation

/// The progress of a batch, and its bar on standard error if that is a terminal.
struct BatchProgress: Sendable {
  /// Number of rows by outcome.
  struct Counts: Sendable {
    var found = 0
    var notFound = 0
    var invalid = 0

    var rows: Int { found + notFound + invalid }

    mutating func add(isFound: Bool) {
      if isFound { found += 1 } else { notFound += 1 }
    }
  }

  private(set) var counts = Counts()
  private let start = ContinuousClock.now
  private let line = ProgressLine()
  private var lastDrawn = ContinuousClock.now
  /// Bytes from the start of the batch to the end of the file. Nil for a pipe, whose length is unknown.
  private let bytesTotal: Int?

  init(descriptor: Int32) {
    // A seek fails on a pipe.
    let position = lseek(descriptor, 0, SEEK_CUR)
    let end = position < 0 ? -1 : lseek(descriptor, 0, SEEK_END)
    if position >= 0 { lseek(descriptor, position, SEEK_SET) }
    bytesTotal = end > position ? end - position : nil
  }

  /// The counts and the rate as text for people.
  var summary: String {
    "\(counts.rows) rows: \(counts.found) found, \(counts.notFound) not found, \(counts.invalid) invalid; "
      + "\(String(format: "%.2f", seconds)) s, \(rate) rows/s"
  }

  mutating func add(_ more: Counts, bytesRead: Int) {
    counts.found += more.found
    counts.notFound += more.notFound
    counts.invalid += more.invalid
    guard line.isShown, ContinuousClock.now - lastDrawn > ToolLimits.progressInterval else { return }
    lastDrawn = .now
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
