import Synchronization

/// The next post and the end of a run, shared by all its connections.
final class Schedule: Sendable {
  /// Due time of post 0, in nanoseconds of `RunClock`.
  let startNs: Int64
  /// Time at which sends and waits end, in nanoseconds of `RunClock`.
  let endNs: Int64
  private let plan: LoadPlan
  private let next = Atomic<Int>(0)

  init(_ plan: LoadPlan, startNs: Int64, drainTimeoutSeconds: Int) {
    self.plan = plan
    self.startNs = startNs
    endNs = startNs + Int64(plan.seconds + drainTimeoutSeconds) * 1_000_000_000
  }

  var isOver: Bool { RunClock.nowNs >= endNs }
  /// True if all posts are claimed.
  var isExhausted: Bool { next.load(ordering: .relaxed) >= plan.count }

  /// Claims the next post for a single connection. Nil if there is none.
  func claim() -> Int? {
    guard !isOver else { return nil }
    let post = next.wrappingAdd(1, ordering: .relaxed).oldValue
    return post < plan.count ? post : nil
  }

  /// Returns the due time of a post, in nanoseconds of `RunClock`.
  func dueNs(_ post: Int) -> Int64 { startNs + plan.dueNs(post) }
}
