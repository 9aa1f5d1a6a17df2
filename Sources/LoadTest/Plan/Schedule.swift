import Synchronization

/// Which post is next, and when the sending is over; shared by all connections of a run.
final class Schedule: Sendable {
  /// When post 0 is due, of `RunClock`.
  let startNs: Int64
  /// When nothing is sent or waited for any more.
  let endNs: Int64
  private let plan: LoadPlan
  private let next = Atomic<Int>(0)

  init(_ plan: LoadPlan, startNs: Int64, settleSeconds: Int) {
    self.plan = plan
    self.startNs = startNs
    endNs = startNs + Int64(plan.seconds + settleSeconds) * 1_000_000_000
  }

  var isOver: Bool { RunClock.nowNs >= endNs }
  /// Whether all posts were claimed.
  var isExhausted: Bool { next.load(ordering: .relaxed) >= plan.count }

  /// The next post, for one connection only; nil when there is none.
  func claim() -> Int? {
    guard !isOver else { return nil }
    let post = next.wrappingAdd(1, ordering: .relaxed).oldValue
    return post < plan.count ? post : nil
  }

  /// When a post is due, of `RunClock`.
  func dueNs(_ post: Int) -> Int64 { startNs + plan.dueNs(post) }
}
