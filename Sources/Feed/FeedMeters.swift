import Domain
import Metrics
import Synchronization
import Telemetry

/// What the feed tells of itself. Any thread.
final class FeedMeters: Sendable {
  let seq = Metric.feedSeq.meter()
  let subscribers = Metric.feedSubscribers.meter("zeromq")
  private let heardMs = Atomic<Int64>(-1)

  /// Ingest has answered.
  func heard(nowMs: Int64) { heardMs.store(nowMs, ordering: .relaxed) }

  /// At a scrape; nothing before ingest has answered for the first time.
  func collect(nowMs: Int64) -> [Sample] {
    let heardMs = heardMs.load(ordering: .relaxed)
    return heardMs < 0 ? [] : [Metric.feedHeard.sample(Double(max(0, nowMs - heardMs)) / 1_000)]
  }
}
