import Domain
import Metrics
import Synchronization
import Telemetry

/// Meters of producers' batches and of their posts' receipts. Each batch increments a meter once. Any thread.
final class SubmitMeters: Sendable {
  private let batches = Metric.submitBatches.counter()
  /// Counters by code. The codes are those of the API, so they are few.
  private let posts: Mutex<[String: Counter]>

  init() {
    posts = Mutex(
      Dictionary(uniqueKeysWithValues: ["accepted", "replayed"].map { ($0, Metric.submitPosts.counter($0)) }))
  }

  func count(_ receipts: [SubmitReceipt]) {
    batches.increment()
    var counts: [String: Int] = [:]
    var accepted = 0
    for receipt in receipts {
      switch receipt {
      case .accepted: accepted += 1
      case .replayed: counts["replayed", default: 0] += 1
      case .refused(let refusal), .busy(let refusal, _): counts[refusal.code, default: 0] += 1
      }
    }
    if accepted > 0 { counts["accepted"] = accepted }
    posts.withLock { posts in
      for (code, count) in counts {
        let counter = posts[code] ?? Metric.submitPosts.counter(code)
        posts[code] = counter
        counter.increment(by: count)
      }
    }
  }
}
