import Store

@testable import Domain
@testable import SQLiteStore

/// When it is over, and what must be so then.
extension Simulation {
  var isOver: Bool { ledger.queued.isEmpty && unfinished.isEmpty }

  /// What is still open, for people; empty when nothing is.
  var unfinished: String {
    guard let ingest else { return "ingest is gone" }
    if !ledger.queued.isEmpty { return "posts \(ledger.queued.map(\.rawValue).sorted())" }
    if ingest.core.scheduler.depth > 0 { return "\(ingest.core.scheduler.depth) jobs" }
    if !clients.allSatisfy(\.isDone) || !revisions.allSatisfy(\.isAnswered) { return "a client has no answer" }
    if let index = workers.firstIndex(where: { $0.phase != .running || $0.session.unacknowledged > 0 }) {
      return "worker \(index)"
    }
    if let index = workers.indices.first(where: hasLostCredit) { return "the credit of worker \(index)" }
    if !store.waiting.isEmpty || store.isCommitting { return "writes" }
    let (epoch, seq) = (ingest.log.epoch, ingest.log.seq)
    if feed.state?.epoch != epoch || feed.state?.seq != seq { return "the feed" }
    let replica = subscriber.replica
    guard replica.isLive, replica.state?.epoch == epoch, replica.state?.seq == seq else { return "the subscriber" }
    return replica.isFeedStale ? "the subscriber's list is stale" : ""
  }

  /// Ingest has less credit than the worker has given it.
  private func hasLostCredit(_ index: Int) -> Bool {
    let session = workers[index].session
    guard let id = session.session, let known = ingest?.core.scheduler.sessions[id] else { return true }
    let lost = ingest?.lostJobs[id] ?? 0
    return session.granted > session.jobsReceived + UInt64(known.credit + lost)
  }

  func checkEnd() async throws {
    guard let database = store.database else { return ledger.recordViolation("there is no database at the end") }
    let start = try database.start()
    let list = start.list
    ledger.expect(feed.state == list, "the feed's list is not the store's")
    ledger.expect(subscriber.replica.state == list, "the subscriber's list is not the store's")
    ledger.expect(start.jobs.isEmpty, "there are jobs on disk")
    for client in clients {
      let posts = try await database.posts(client.pendingPosts.compactMap(\.answer))
      let found = Dictionary(uniqueKeysWithValues: posts.map { ($0.id, $0) })
      for wish in client.pendingPosts {
        let post = wish.answer.flatMap { found[$0] }
        let kept = wish.answer.flatMap { ledger.posts[$0] }
        if kept?.fate == .deleted {
          ledger.expect(post == nil, "what was posted under \(wish.key) is deleted, and can be read")
          continue
        }
        ledger.expect(
          post?.place == wish.submission.place && post?.link == kept?.link ?? wish.submission.link
            && post?.account == client.account, "what was posted under \(wish.key) is not what is stored")
        if let post, kept?.link == nil { ledger.expect(isRight(post), "\(post.place) is \(post.state) at the end") }
      }
    }
    ledger.expect(list.seq == ledger.seq, "the list stands at \(list.seq) after \(ledger.seq) changes")
    let latest = ledger.latest
    ledger.expect(
      list.entries.map(\.id) == latest.map(\.id) && list.entries.map(\.seq) == latest.map(\.seq),
      "the list has other posts than were published last")
  }

  /// Whether it came to an end that it may come to; any may have been lost over workers, or given up then.
  private func isRight(_ post: Post) -> Bool {
    switch (post.state, PlaceBehaviour(of: post.place)) {
    case (.queued, _), (.deleted, _): false
    case (.dead, _): true
    case (.published, let nature): ![.poison, .broken, .nowhere, .hanging, .stubborn].contains(nature)
    case (.rejected, .nowhere): true
    case (.rejected, _): post.reason?.code == "dropped"
    }
  }
}
