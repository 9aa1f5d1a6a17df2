import Domain
import Metrics
import Synchronization
import Telemetry

/// Metrics of the feed. Any thread.
final class FeedMeters: Sendable {
  let seq = Metric.feedSeq.meter()
  let subscribers = Metric.feedSubscribers.meter("zeromq")
  /// Time of the last valid reply, or of the start if there was no reply. The alert for a silent ingest thus also works
  /// for a feed that never had a reply.
  private let lastReplyMs: Atomic<Int64>

  /// Creates the metrics of a feed.
  ///
  /// - Parameter nowMs: Time of the start.
  init(nowMs: Int64) { lastReplyMs = Atomic(nowMs) }

  /// Records a valid reply of ingest.
  func recordReply(nowMs: Int64) { lastReplyMs.store(nowMs, ordering: .relaxed) }

  /// Returns the time since the last valid reply, or since the start if there was no reply, in milliseconds.
  func replyAgeMs(nowMs: Int64) -> Int64 { max(0, nowMs - lastReplyMs.load(ordering: .relaxed)) }

  /// Returns the samples for a scrape.
  func collect(nowMs: Int64) -> [Sample] {
    [Metric.feedLastReply.sample(Double(replyAgeMs(nowMs: nowMs)) / 1_000)]
  }
}
