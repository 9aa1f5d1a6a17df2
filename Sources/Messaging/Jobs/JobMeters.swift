import Domain
import Metrics
import Telemetry

/// Counters of the job link at ingest's end. Reactor's thread only.
final class JobMeters {
  private let committed = Metric.queueResults.counter("committed")
  private let duplicate = Metric.queueResults.counter("duplicate")
  private let stale = Metric.queueResults.counter("stale")
  private let retryLater = Metric.queueResults.counter("retry_later")
  private let redelivered = Metric.queueRedelivered.counter()
  private var redeliveredBefore: UInt64 = 0

  /// Counts the acknowledgements of a frame.
  func count(_ acks: [(lease: Lease, disposition: Disposition)]) {
    var counts = (committed: 0, duplicate: 0, stale: 0, retryLater: 0)
    for (_, disposition) in acks {
      switch disposition {
      case .committed: counts.committed += 1
      case .duplicate: counts.duplicate += 1
      case .stale: counts.stale += 1
      case .retryLater: counts.retryLater += 1
      }
    }
    committed.increment(by: counts.committed)
    duplicate.increment(by: counts.duplicate)
    stale.increment(by: counts.stale)
    retryLater.increment(by: counts.retryLater)
  }

  /// Counts redelivered jobs, which ingest withdrew from a worker and sent again.
  ///
  /// - Parameter count: Number of redelivered jobs since the start.
  func count(redelivered count: UInt64) {
    guard count > redeliveredBefore else { return }
    redelivered.increment(by: count - redeliveredBefore)
    redeliveredBefore = count
  }
}
