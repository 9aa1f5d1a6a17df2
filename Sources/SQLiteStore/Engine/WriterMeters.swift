import GRDB
import Metrics
import Telemetry

/// Metrics of the writer, one record per commit. Any thread.
struct WriterMeters: Sendable {
  private let duration = Metric.storeCommit.timer()
  private let rows = Metric.storeRows.recorder()
  private let syncs = Metric.storeSyncs.counter()
  private let full = Metric.storeErrors.counter("full")
  private let failedIO = Metric.storeErrors.counter("ioerr")
  private let corrupt = Metric.storeErrors.counter("corrupt")
  private let other = Metric.storeErrors.counter("other")

  /// Records a durable commit. In WAL mode with synchronous=FULL, a commit with changes has written its frames to the
  /// WAL, and one fdatasync has returned. A commit without changes has written nothing.
  func commit(_ duration: Duration, rows count: Int) {
    self.duration.record(duration: duration)
    rows.record(count)
    if count > 0 { syncs.increment() }
  }

  /// Counts a failed write.
  func count(_ error: any Error) {
    switch (error as? DatabaseError)?.resultCode {
    case .SQLITE_FULL?: full.increment()
    case .SQLITE_IOERR?: failedIO.increment()
    case .SQLITE_CORRUPT?: corrupt.increment()
    default: other.increment()
    }
  }
}
