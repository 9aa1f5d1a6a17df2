package import Domain
import Synchronization

/// Durations of the latest commits, from the beginning of the transaction until it is durable. Any thread.
package final class CommitTimes: Sendable {
  private struct State: Sendable {
    var count: UInt64 = 0
    /// Ring of durations. The n-th commit stands at n modulo `Limits.commitTimesKept`.
    var latestUs: [Int64] = []
  }

  private let state = Mutex(State())

  package init() {}

  /// Adds the duration of the latest commit.
  package func add(_ duration: Duration) {
    let us = duration.components.seconds * 1_000_000 + duration.components.attoseconds / 1_000_000_000_000
    state.withLock { state in
      if state.latestUs.count < Limits.commitTimesKept {
        state.latestUs.append(us)
      } else {
        state.latestUs[Int(state.count % UInt64(Limits.commitTimesKept))] = us
      }
      state.count += 1
    }
  }

  /// Number of all commits, and percentiles of the latest ones.
  package var commits: QueueStatus.Commits {
    let (count, latestUs) = state.withLock { ($0.count, $0.latestUs) }
    let sorted = latestUs.sorted()
    // Nearest rank: the shortest duration that this share of the commits does not exceed.
    func percentile(_ share: Int) -> Int64 { sorted.isEmpty ? 0 : sorted[(sorted.count * share + 99) / 100 - 1] }
    return QueueStatus.Commits(count: count, p50Us: percentile(50), p99Us: percentile(99))
  }
}
