import Domain
import Messaging
import Synchronization

/// A producer of a load test over ZeroMQ. It gathers due posts into batches. It retries busy posts in later batches.
/// Reactor's thread only, except for `isDone`.
final class Producer: Sendable {
  private struct State {
    var batches: [UInt64: [Int]] = [:]
    var lastBatch: UInt64 = 0
    /// The next post, if it is not due yet. `waitedForConnection` is true if the post was late when it was claimed.
    var claimed: (post: Int, waitedForConnection: Bool)?
    /// Posts to retry, with the earliest time, in nanoseconds of `RunClock`.
    var retries: [(post: Int, dueNs: Int64)] = []
    /// Number of posts without a final receipt.
    var open = 0
  }

  private let plan: LoadPlan
  private let schedule: Schedule
  private let tally: Tally
  private let batchMax: Int
  /// Almost only the reactor's thread uses the state, so the lock is rarely contended.
  private let state = Mutex(State())

  /// Creates a producer.
  ///
  /// - Parameters:
  ///   - plan: Posts of the run.
  ///   - schedule: Due times, shared by all producers.
  ///   - tally: Counts of the run.
  ///   - batchMax: Maximum number of posts in a batch, 1 to `Limits.submitPostsMax`.
  init(plan: LoadPlan, schedule: Schedule, tally: Tally, batchMax: Int) {
    self.plan = plan
    self.schedule = schedule
    self.tally = tally
    self.batchMax = batchMax
  }

  /// True if no post is left and every post has a receipt, or if the time is over. Any thread.
  var isDone: Bool { schedule.isOver || schedule.isExhausted && state.withLock { $0.open == 0 && $0.claimed == nil } }

  /// Records the posts that never got a receipt. Call this after the last send. Any thread.
  func recordUnanswered() {
    for _ in 0..<state.withLock({ $0.open }) { tally.recordUnanswered() }
  }

  /// Returns the next batch, a pause, or the end. `nowMs` is the reactor's time, in milliseconds.
  func next(nowMs: Int64) -> SubmitClient.Next {
    let nowNs = RunClock.nowNs
    if nowNs >= schedule.endNs { return .over }
    return state.withLock { state in
      var posts: [Int] = []
      var dueNs = collectRetries(&state, &posts, nowNs)
      while posts.count < batchMax {
        if state.claimed == nil {
          state.claimed = schedule.claim().map { ($0, nowNs > schedule.dueNs($0)) }
        }
        guard let (post, waitedForConnection) = state.claimed else { break }
        dueNs = min(dueNs, schedule.dueNs(post))
        guard schedule.dueNs(post) <= nowNs else { break }
        tally.send(lateNs: nowNs - schedule.dueNs(post), waitedForConnection: waitedForConnection)
        state.open += 1
        state.claimed = nil
        posts.append(post)
      }
      guard !posts.isEmpty else {
        // A busy receipt may still add a post to retry.
        return dueNs == .max ? .over : .pause(untilMs: nowMs + max(1, (dueNs - nowNs) / 1_000_000))
      }
      state.lastBatch += 1
      state.batches[state.lastBatch] = posts
      return .batch(state.lastBatch, posts.map(submitted))
    }
  }

  /// Handles the outcome of a batch.
  func handle(_ event: SubmitClient.Event) {
    let nowNs = RunClock.nowNs
    switch event {
    case .receipts(let batch, let receipts):
      let posts = state.withLock { $0.batches.removeValue(forKey: batch) ?? [] }
      for (post, receipt) in zip(posts, receipts) { settle(post, receipt, nowNs) }
    case .repeated(let batch, let reason):
      let count = state.withLock { $0.batches[batch]?.count ?? 0 }
      tally.fail(reason)
      for _ in 0..<count { tally.retry() }
    case .refused(let batch, let refusal):
      let posts = state.withLock { state in
        let posts = state.batches.removeValue(forKey: batch) ?? []
        state.open -= posts.count
        return posts
      }
      for _ in posts { tally.refuse(refusal.code) }
    }
  }

  private func settle(_ post: Int, _ receipt: SubmitReceipt, _ nowNs: Int64) {
    switch receipt {
    case .accepted(let id), .replayed(let id):
      tally.accept(post, id: id, latencyNs: nowNs - schedule.dueNs(post), nowNs: nowNs)
    case .refused(let refusal): tally.refuse(refusal.code)
    case .busy(let refusal, let retryAfterMs):
      tally.fail(refusal.code)
      let dueNs = nowNs + max(1, retryAfterMs) * 1_000_000
      return state.withLock { $0.retries.append((post, dueNs)) }
    }
    state.withLock { $0.open -= 1 }
  }

  /// Moves due retries to `posts`. Returns the due time of the next retry, or `Int64.max` without one.
  private func collectRetries(_ state: inout State, _ posts: inout [Int], _ nowNs: Int64) -> Int64 {
    guard !state.retries.isEmpty else { return .max }
    let due = state.retries.filter { $0.dueNs <= nowNs }.prefix(batchMax).map(\.post)
    let duePosts = Set(due)
    state.retries.removeAll { duePosts.contains($0.post) }
    for _ in due { tally.retry() }
    posts += due
    return state.retries.map(\.dueNs).min() ?? .max
  }

  private func submitted(_ post: Int) -> SubmittedPost {
    SubmittedPost(idempotencyKey: plan.idempotencyKey(post), place: plan.place(post), link: plan.link(post))
  }
}
