import Domain

/// Holds a run against the store when the sending is over: waits until everything is settled, finds every post, and
/// compares the subscriber's list with the store's.
struct Audit {
  /// What came of comparing the lists.
  enum Lists: Sendable {
    case equal(seq: UInt64, hash: String)
    /// The reason is for people.
    case different(reason: String)
  }

  /// What was found.
  struct Finding: Sendable {
    var lists: Lists
    /// Rejected and dead posts by reason.
    var reasons: [String: Int]
    /// Of the other subscribers.
    var subscribers = Subscribers.Finding()
    /// Why the store could not be asked, for people; then nothing is known of the posts.
    var problem: String?
  }

  let plan: LoadPlan
  let store: StoreReader
  let tally: Tally
  let subscription: RunSubscriber
  let subscribers: Subscribers

  /// - Parameter untilNs: when waiting for queued posts ends, of `RunClock`.
  /// - Throws: `CancellationError`.
  func run(untilNs: Int64) async throws -> Finding {
    do { return try await find(untilNs: untilNs) } catch let error as LoadTestError {
      return Finding(lists: .different(reason: "the store's is not known"), reasons: [:], problem: error.description)
    }
  }

  private func find(untilNs: Int64) async throws -> Finding {
    try await waitForFeed(untilNs: untilNs)
    var reasons = try await findPosts(after: nil)
    while let queued = firstQueued(), RunClock.nowNs < untilNs {
      try await Task.sleep(for: LoadLimits.queuedPoll)
      // Posts before the first queued one are settled, and those do not change.
      reasons.merge(try await findPosts(after: PostID(rawValue: queued - 1))) { $0 + $1 }
    }
    let (lists, subscribers) = try await compareLists()
    return Finding(lists: lists, reasons: reasons, subscribers: subscribers)
  }

  /// Most posts are settled when the subscriber sees them: no need to ask for them until then.
  private func waitForFeed(untilNs: Int64) async throws {
    var (seen, changedNs) = (-1, RunClock.nowNs)
    while true {
      let (counts, nowNs) = (tally.counts, RunClock.nowNs)
      if counts.seen != seen { (seen, changedNs) = (counts.seen, nowNs) }
      if seen >= counts.accepted || nowNs >= untilNs || nowNs - changedNs > LoadLimits.quietNs { return }
      try await Task.sleep(for: LoadLimits.listPoll)
    }
  }

  /// Tells the tally what the store has.
  private func findPosts(after: PostID?) async throws -> [String: Int] {
    var reasons: [String: Int] = [:]
    try await store.posts(after: after) { posts in
      for found in posts {
        guard let post = plan.post(found.link), let id = PostID(found.id), let state = Post.State(word: found.state)
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

  /// Others may be posting meanwhile: lists are compared where both stand at the same number.
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
        let standing = list.map { "stands at seq \($0.seq) of \($0.epoch)" } ?? "has lost its list"
        let reason = "the subscriber \(standing), the store at seq \(stored.seq) of \(stored.epoch)"
        return (.different(reason: reason), subscribers.finding(seq: stored.seq, hash: stored.stateHash))
      }
      try await Task.sleep(for: LoadLimits.listPoll)
    }
  }
}

extension Post.State {
  /// By its word in the API.
  init?(word: String) {
    guard let state = Self.allCases.first(where: { $0.word == word }) else { return nil }
    self = state
  }
}
