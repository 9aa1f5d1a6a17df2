import PostgresStore

/// The progress of `db copy`, on standard error.
struct CopyProgress {
  private let line = ProgressLine()
  private let start = ContinuousClock.now
  private var lastDrawn: ContinuousClock.Instant?

  mutating func draw(_ progress: PostgresCopy.Progress) {
    guard lastDrawn.map({ ContinuousClock.now - $0 > ToolLimits.progressInterval }) ?? true else { return }
    lastDrawn = .now
    line.draw(CopyProgress.line(progress, seconds: (ContinuousClock.now - start) / .seconds(1)))
  }

  static func line(_ progress: PostgresCopy.Progress, seconds: Double) -> String {
    let rate = Int(Double(progress.rows) / max(seconds, 0.001))
    return "\(progress.step.rawValue)  \(progress.table)  \(progress.tableRows) rows  \(rate) rows/s"
  }

  /// Erases the line.
  func clear() { line.clear() }
}
