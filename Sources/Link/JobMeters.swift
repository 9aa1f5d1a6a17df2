import Metrics
import OnTheMap
import Telemetry

/// Counts what goes over the job link at ingest's end. On the reactor's thread.
final class JobMeters {
  private let committed = Metric.queueResults.counter("committed")
  private let duplicate = Metric.queueResults.counter("duplicate")
  private let stale = Metric.queueResults.counter("stale")
  private let retryLater = Metric.queueResults.counter("retry_later")
  private let redelivered = Metric.queueRedelivered.counter()
  private var redeliveredBefore: UInt64 = 0

  /// - Parameter acks: what a worker is told of its results.
  func count(_ acks: [(lease: Lease, disposition: Disposition)]) {
    var told = (committed: 0, duplicate: 0, stale: 0, retryLater: 0)
    for (_, disposition) in acks {
      switch disposition {
      case .committed: told.committed += 1
      case .duplicate: told.duplicate += 1
      case .stale: told.stale += 1
      case .retryLater: told.retryLater += 1
      }
    }
    committed.increment(by: told.committed)
    duplicate.increment(by: told.duplicate)
    stale.increment(by: told.stale)
    retryLater.increment(by: told.retryLater)
  }

  /// - Parameter count: jobs taken back from workers and sent again, since the start.
  func count(redelivered count: UInt64) {
    guard count > redeliveredBefore else { return }
    redelivered.increment(by: count - redeliveredBefore)
    redeliveredBefore = count
  }
}
