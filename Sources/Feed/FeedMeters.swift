import Domain
import Metrics
import Synchronization
import Telemetry

/// Metrics of the feed. Any thread.
final class FeedMeters: Sendable {
  let seq = Metric.feedSeq.meter()
  let subscribers = Metric.feedSubscribers.meter("zeromq")
  private let lastReceivedMs = Atomic<Int64>(-1)

  /// Records a valid reply of ingest.
  func recordReply(nowMs: Int64) { lastReceivedMs.store(nowMs, ordering: .relaxed) }

  /// Returns the samples for a scrape. Empty before the first reply of ingest.
  func collect(nowMs: Int64) -> [Sample] {
    let lastReceivedMs = lastReceivedMs.load(ordering: .relaxed)
    return lastReceivedMs < 0 ? [] : [Metric.feedLastReply.sample(Double(max(0, nowMs - lastReceivedMs)) / 1_000)]
  }
}
