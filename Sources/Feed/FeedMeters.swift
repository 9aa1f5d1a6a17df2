import Domain
import Metrics
import Synchronization
import Telemetry

/// What the feed tells of itself. Any thread.
final class FeedMeters: Sendable {
  let seq = Metric.feedSeq.meter()
  let subscribers = Metric.feedSubscribers.meter("zeromq")
  private let lastReceivedMs = Atomic<Int64>(-1)

  /// Ingest has answered.
  func recordReply(nowMs: Int64) { lastReceivedMs.store(nowMs, ordering: .relaxed) }

  /// At a scrape; nothing before ingest has answered for the first time.
  func collect(nowMs: Int64) -> [Sample] {
    let lastReceivedMs = lastReceivedMs.load(ordering: .relaxed)
    return lastReceivedMs < 0 ? [] : [Metric.feedLastReply.sample(Double(max(0, nowMs - lastReceivedMs)) / 1_000)]
  }
}
