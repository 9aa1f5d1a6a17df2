import GRDB
import Metrics
import Telemetry

/// Counts what the writer does: once for each commit, whatever is in it. Any thread.
struct WriterMeters: Sendable {
  private let duration = Metric.storeCommit.timer()
  private let rows = Metric.storeRows.recorder()
  private let syncs = Metric.storeSyncs.counter()
  private let full = Metric.storeErrors.counter("full")
  private let failedIO = Metric.storeErrors.counter("ioerr")
  private let corrupt = Metric.storeErrors.counter("corrupt")
  private let other = Metric.storeErrors.counter("other")

  /// A commit is on disk. WAL with synchronous=FULL: if it has changed anything, its frames have been written to the
  /// WAL and one fdatasync has returned; otherwise nothing was written.
  func commit(_ duration: Duration, rows count: Int) {
    self.duration.record(duration: duration)
    rows.record(count)
    if count > 0 { syncs.increment() }
  }

  /// A write has failed.
  func count(_ error: any Error) {
    switch (error as? DatabaseError)?.resultCode {
    case .SQLITE_FULL?: full.increment()
    case .SQLITE_IOERR?: failedIO.increment()
    case .SQLITE_CORRUPT?: corrupt.increment()
    default: other.increment()
    }
  }
}
