import Domain

/// The figures of a run, and whether it kept what is promised.
package struct LoadSummary: Sendable {
  let plan: LoadPlan
  let server: String
  let connections: Int
  let counts: Tally.Counts
  let acceptLatency: Latency
  let feedLatency: Latency
  let finding: Audit.Finding
  /// How often the subscriber's list was replaced by a whole new one, after a gap or a restart of the feed.
  let replacements: Int
  /// From the start to the last acceptance.
  let sendingNs: Int64
  let published: Int
  let rejected: Int
  let queued: Int
  let dead: Int
  /// Accepted, and not in the store.
  let lost: Int
  /// In the store, or in the feed, under more than one id.
  let duplicated: Int
  /// Published, and never in a frame or list that the subscriber got.
  let notSeenLive: Int
  /// In the store, though no answer came in time.
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

  /// Accepted posts in a second, on the average over the time it took.
  var achievedRate: Double { sendingNs > 0 ? Double(counts.accepted) * 1e9 / Double(sendingNs) : 0 }

  /// Posts that were not sent when the time was over.
  var unsent: Int { plan.count - counts.sent }

  /// What was promised and not kept, one sentence for each; empty for a good run.
  package var failures: [String] {
    var failures: [String] = []
    if counts.accepted == 0 { failures.append("not one post was accepted") }
    if let problem = finding.problem { return failures + [problem] }
    if lost > 0 { failures.append("\(lost) accepted posts are not in the store") }
    if duplicated > 0 { failures.append("\(duplicated) posts are there more than once") }
    if counts.unanswered > 0 { failures.append("\(counts.unanswered) posts were never answered") }
    if unsent > 0 { failures.append("\(unsent) posts were never sent") }
    if notSeenLive > 0, replacements == 0 {
      failures.append("\(notSeenLive) posts never came to the subscriber, and no list was replaced")
    }
    if queued > 0 { failures.append("\(queued) posts are still queued") }
    let subscribers = finding.subscribers
    if subscribers.equal < subscribers.count {
      failures.append(
        "\(subscribers.count - subscribers.equal) of \(subscribers.count) other subscribers ended with another list")
    }
    if subscribers.wrong > 0 { failures.append("\(subscribers.wrong) times another subscriber had a wrong list") }
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
      if record.acceptedID != 0, !record.marks.contains(.isFound) { lost += 1 }
      if !record.marks.isDisjoint(with: [.seenTwice, .storedTwice]) || isSeenUnderAnotherID(record) { duplicated += 1 }
      guard record.storedID != 0 else { return }
      states[Int(record.storedState.rawValue)] += 1
      if record.storedState == .published, record.seenID == 0 { notSeenLive += 1 }
      if record.acceptedID == 0 { storedUnanswered += 1 }
    }

    /// The feed tells a post that is not the store's.
    private func isSeenUnderAnotherID(_ record: Tally.Record) -> Bool {
      record.seenID != 0 && record.storedID != 0 && record.seenID != record.storedID
    }
  }
}
