import Domain

/// Comparison of a run with the store after the last send. It waits until every post is settled, finds every post, and
/// compares the subscriber's list with the store's.
struct Audit {
  /// The result of the comparison of the lists.
  enum Lists: Sendable {
    case equal(seq: UInt64, hash: String)
    /// The reason is for people.
    case different(reason: String)
  }

  /// The findings about a run.
  struct Finding: Sendable {
    var lists: Lists
    /// Number of rejected and dead posts, by reason.
    var reasons: [String: Int]
    /// Findings about the other subscribers.
    var subscribers = Subscribers.Finding()
    /// Reason why the store could not be read, for people. The states of the posts are then unknown. Nil after a
    /// complete read.
    var problem: String?
  }

  let plan: LoadPlan
  let store: StoreReader
  let tally: Tally
  let subscription: RunSubscriber
  let subscribers: Subscribers

  /// Compares the run with the store.
  ///
  /// - Parameter untilNs: Deadline for queued posts, in nanoseconds of `RunClock`.
  /// - Throws: `CancellationError`.
  func run(untilNs: Int64) async throws -> Finding {
    do { return try await find(untilNs: untilNs) } catch let error as LoadTestError {
      return Finding(lists: .different(reason: "the store's list is unknown"), reasons: [:], problem: error.description)
    }
  }

  private func find(untilNs: Int64) async throws -> Finding {
    try await waitForFeed(untilNs: untilNs)
    var reasons = try await findPosts(after: nil)
    while let queued = firstQueued(), RunClock.nowNs < untilNs {
      try await Task.sleep(for: LoadLimits.queuedPoll)
      // Posts before the first queued one are settled, so they no longer change.
      reasons.merge(try await findPosts(after: PostID(rawValue: queued - 1))) { $0 + $1 }
    }
    let (lists, subscribers) = try await compareLists()
    return Finding(lists: lists, reasons: reasons, subscribers: subscribers)
  }

  /// Waits until the subscriber has seen all accepted posts, has seen no new post for `LoadLimits.quietNs`, or
  /// `untilNs` has passed. Before that, many posts are unsettled, and requests to the store would be useless.
  private func waitForFeed(untilNs: Int64) async throws {
    var (seen, changedNs) = (-1, RunClock.nowNs)
    while true {
      let (counts, nowNs) = (tally.counts, RunClock.nowNs)
      if counts.seen != seen { (seen, changedNs) = (counts.seen, nowNs) }
      if seen >= counts.accepted || nowNs >= untilNs || nowNs - changedNs > LoadLimits.quietNs { return }
      try await Task.sleep(for: LoadLimits.listPoll)
    }
  }

  /// Records the store's posts in the tally. Returns the reasons of newly settled posts.
  private func findPosts(after: PostID?) async throws -> [String: Int] {
    var reasons: [String: Int] = [:]
    try await store.posts(after: after) { posts in
      for found in posts {
        guard let post = plan.post(found.link), let id = PostID(found.id), let state = Post.State(name: found.state)
        else { continue }
        if tally.find(post, id: id, state: state), let reason = found.reason { reasons[reason.code, default: 0] += 1 }
      }
    }
    return reasons
  }

  private func firstQueued() -> UInt64? {
    tally.reduce(into: nil) { first, record in
      guard record.storedID != 0, record.storedState == .queued else { return }
      first = min(first ?? .max, record.storedID)
    }
  }

  /// Compares the subscriber's list with the store's when their sequence numbers are equal. Other clients may post
  /// meanwhile.
  private func compareLists() async throws -> (Lists, Subscribers.Finding) {
    let untilNs = RunClock.nowNs + LoadLimits.lagNs
    while true {
      let stored = try await store.list()
      let list = subscription.list
      if let list, list.epoch.description == stored.epoch, list.seq == stored.seq {
        let hash = hexadecimal(list.hash, digits: 16)
        let others = subscribers.finding(seq: stored.seq, hash: stored.stateHash)
        if hash != stored.stateHash {
          let reason = "at seq \(list.seq) the subscriber's hash is \(hash), the store's \(stored.stateHash)"
          return (.different(reason: reason), others)
        }
        if others.equal == others.count || RunClock.nowNs >= untilNs {
          return (.equal(seq: list.seq, hash: hash), others)
        }
      }
      guard RunClock.nowNs < untilNs else {
        let position = list.map { "is at seq \($0.seq) of epoch \($0.epoch)" } ?? "has no list"
        let reason = "the subscriber \(position), the store at seq \(stored.seq) of epoch \(stored.epoch)"
        return (.different(reason: reason), subscribers.finding(seq: stored.seq, hash: stored.stateHash))
      }
      try await Task.sleep(for: LoadLimits.listPoll)
    }
  }
}

extension Post.State {
  /// Creates the state with this name in the API. Nil for an unknown name.
  init?(name: String) {
    guard let state = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = state
  }
}
