import Domain

/// The figures of a run, and the guarantees that it broke.
package struct LoadSummary: Sendable {
  let plan: LoadPlan
  let server: String
  let connections: Int
  let counts: Tally.Counts
  let acceptLatency: Latency
  let feedLatency: Latency
  let finding: Audit.Finding
  /// Number of complete lists that replaced the subscriber's list, after a gap or a restart of the feed.
  let replacements: Int
  /// Time from the start to the last acceptance, in nanoseconds.
  let sendingNs: Int64
  let published: Int
  let rejected: Int
  let queued: Int
  let dead: Int
  /// Accepted posts that are not in the store.
  let lost: Int
  /// Posts with more than one id in the store or in the feed.
  let duplicated: Int
  /// Published posts that were in no frame and no list of the subscriber.
  let notSeenLive: Int
  /// Posts that are in the store, although the test got no response in time.
  let storedUnanswered: Int

  init(
    plan: LoadPlan, server: String, connections: Int, tally: Tally, finding: Audit.Finding, replacements: Int,
    startNs: Int64
  ) {
    self.plan = plan
    self.server = server
    self.connections = connections
    self.finding = finding
    self.replacements = replacements
    counts = tally.counts
    acceptLatency = tally.acceptLatency
    feedLatency = tally.feedLatency
    sendingNs = max(0, counts.lastAcceptedNs - startNs)
    let sums = tally.reduce(into: Sums()) { $0.add($1) }
    published = sums.states[Int(Post.State.published.rawValue)]
    rejected = sums.states[Int(Post.State.rejected.rawValue)]
    queued = sums.states[Int(Post.State.queued.rawValue)]
    dead = sums.states[Int(Post.State.dead.rawValue)]
    lost = sums.lost
    duplicated = sums.duplicated
    notSeenLive = sums.notSeenLive
    storedUnanswered = sums.storedUnanswered
  }

  /// Average rate of accepted posts, per second, until the last acceptance.
  var achievedRate: Double { sendingNs > 0 ? Double(counts.accepted) * 1e9 / Double(sendingNs) : 0 }

  /// Posts that were not sent before the end of the run.
  var unsent: Int { plan.count - counts.sent }

  /// The broken guarantees, a sentence for each. Empty for a good run.
  package var failures: [String] {
    var failures: [String] = []
    if counts.accepted == 0 { failures.append("no post was accepted") }
    if let problem = finding.problem { return failures + [problem] }
    if lost > 0 { failures.append("\(lost) accepted posts are not in the store") }
    if duplicated > 0 { failures.append("\(duplicated) posts are duplicated") }
    if counts.unanswered > 0 { failures.append("\(counts.unanswered) posts got no response") }
    if unsent > 0 { failures.append("\(unsent) posts were not sent") }
    if notSeenLive > 0, replacements == 0 {
      failures.append("\(notSeenLive) posts did not reach the subscriber, and no list was replaced")
    }
    if queued > 0 { failures.append(queued == 1 ? "1 post is still queued" : "\(queued) posts are still queued") }
    let subscribers = finding.subscribers
    if subscribers.equal < subscribers.count {
      failures.append(
        "\(subscribers.count - subscribers.equal) of \(subscribers.count) extra subscribers ended with another list")
    }
    if subscribers.wrong > 0 { failures.append("extra subscribers received \(subscribers.wrong) wrong lists") }
    if case .different(let reason) = finding.lists { failures.append("the lists differ: \(reason)") }
    return failures
  }

  private struct Sums: Sendable {
    var states = Array(repeating: 0, count: Post.State.allCases.count)
    var lost = 0
    var duplicated = 0
    var notSeenLive = 0
    var storedUnanswered = 0

    mutating func add(_ record: Tally.Record) {
      if record.acceptedID != 0, !record.flags.contains(.isFound) { lost += 1 }
      if !record.flags.isDisjoint(with: [.seenTwice, .storedTwice]) || isSeenUnderAnotherID(record) { duplicated += 1 }
      guard record.storedID != 0 else { return }
      states[Int(record.storedState.rawValue)] += 1
      if record.storedState == .published, record.seenID == 0 { notSeenLive += 1 }
      if record.acceptedID == 0 { storedUnanswered += 1 }
    }

    /// True if the post has one id in the feed and another in the store.
    private func isSeenUnderAnotherID(_ record: Tally.Record) -> Bool {
      record.seenID != 0 && record.storedID != 0 && record.seenID != record.storedID
    }
  }
}
