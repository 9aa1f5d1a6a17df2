import Metrics
import OnTheMap
import Telemetry

/// Counts what goes over the job link at ingest's end: once for each turn of the reactor. On the reactor's thread.
final class JobMeters {
  private let committed = Metric.queueResults.counter("committed")
  private let duplicate = Metric.queueResults.counter("duplicate")
  private let stale = Metric.queueResults.counter("stale")
  private let retryLater = Metric.queueResults.counter("retry_later")
  private let redelivered = Metric.queueRedelivered.counter()
  private var redeliveredBefore: UInt64 = 0

  /// - Parameters:
  ///   - acks: what workers are told in this turn.
  ///   - redelivered: since the start.
  func count(_ acks: some Sequence<[(Lease, Disposition)]>, redelivered count: UInt64) {
    if count > redeliveredBefore {
      redelivered.increment(by: count - redeliveredBefore)
      redeliveredBefore = count
    }
    var told = (committed: 0, duplicate: 0, stale: 0, retryLater: 0)
    for acks in acks {
      for (_, disposition) in acks {
        switch disposition {
        case .committed: told.committed += 1
        case .duplicate: told.duplicate += 1
        case .stale: told.stale += 1
        case .retryLater: told.retryLater += 1
        }
      }
    }
    committed.increment(by: told.committed)
    duplicate.increment(by: told.duplicate)
    stale.increment(by: told.stale)
    retryLater.increment(by: told.retryLater)
  }
}
