import Metrics
import Telemetry

/// Metrics of the writer. Any thread.
struct WriterMeters: Sendable {
  private let duration = Metric.storeCommit.timer()
  private let repetitions = Metric.storeRepetitions.counter()
  private let full = Metric.storeErrors.counter("full")
  private let corrupt = Metric.storeErrors.counter("corrupt")
  private let other = Metric.storeErrors.counter("other")

  /// Records a durable commit.
  func commit(_ duration: Duration) { self.duration.record(duration: duration) }

  /// Counts a repetition of a group.
  func countRepetition() { repetitions.increment() }

  /// Counts a failed write.
  func count(_ error: any Error) {
    switch (error as? PostgresError)?.meaning {
    case .full?: full.increment()
    case .damaged?: corrupt.increment()
    default: other.increment()
    }
  }
}
