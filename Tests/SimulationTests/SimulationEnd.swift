import Store

@testable import Domain
@testable import SQLiteStore

/// End of a run, and the rules for it.
extension Simulation {
  var isFinished: Bool { ledger.queued.isEmpty && unfinished.isEmpty }

  /// Description of the first unfinished part. Empty if everything has finished.
  var unfinished: String {
    guard let ingest else { return "ingest does not run" }
    if !ledger.queued.isEmpty { return "posts \(ledger.queued.map(\.rawValue).sorted())" }
    if ingest.core.scheduler.depth > 0 { return "\(ingest.core.scheduler.depth) jobs" }
    if !clients.allSatisfy(\.isDone) || !revisions.allSatisfy(\.hasResponse) { return "a client has no response" }
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

  /// Returns true if ingest knows less credit than the worker has granted.
  private func hasLostCredit(_ index: Int) -> Bool {
    let session = workers[index].session
    guard let id = session.session, let known = ingest?.core.scheduler.sessions[id] else { return true }
    let lost = ingest?.lostJobs[id] ?? 0
    return session.granted > session.jobsReceived + UInt64(known.credit + lost)
  }

  func checkEnd() async throws {
    guard let database = store.database else { return ledger.recordViolation("the run ends without a database") }
    let start = try database.start()
    let list = start.list
    ledger.expect(feed.state == list, "the feed's list is not the store's")
    ledger.expect(subscriber.replica.state == list, "the subscriber's list is not the store's")
    ledger.expect(start.jobs.isEmpty, "the store has queued jobs")
    for client in clients {
      let posts = try await database.posts(client.pendingPosts.compactMap(\.acceptedID))
      let stored = Dictionary(uniqueKeysWithValues: posts.map { ($0.id, $0) })
      for pending in client.pendingPosts where pending.acceptedID != nil {
        let post = pending.acceptedID.flatMap { stored[$0] }
        let entry = pending.acceptedID.flatMap { ledger.posts[$0] }
        if entry?.fate == .deleted || pending.acceptedID.map(ledger.lost.contains) == true {
          ledger.expect(post == nil, "the post with key \(pending.key) is deleted or lost but can be read")
          continue
        }
        ledger.expect(
          post?.place == pending.submission.place && post?.link == entry?.link ?? pending.submission.link
            && post?.account == client.account, "the post with key \(pending.key) differs from the stored one")
        if let post, entry?.link == nil {
          ledger.expect(fitsBehaviour(post), "\(post.place) is \(post.state) at the end")
        }
      }
    }
    ledger.expect(list.seq == ledger.seq, "the list has sequence number \(list.seq) after \(ledger.seq) changes")
    let latest = ledger.latest
    ledger.expect(
      list.entries.map(\.id) == latest.map(\.id) && list.entries.map(\.seq) == latest.map(\.seq),
      "the list differs from the latest published posts")
  }

  /// Returns true if the post's final state fits its behaviour. Any post may be dead or discarded after lost leases.
  private func fitsBehaviour(_ post: Post) -> Bool {
    switch (post.state, PlaceBehaviour(of: post.place)) {
    case (.queued, _), (.deleted, _): false
    case (.dead, _): true
    case (.published, let behaviour): ![.poison, .broken, .nowhere, .hanging, .stubborn].contains(behaviour)
    case (.rejected, .nowhere): true
    case (.rejected, _): post.reason?.code == "discarded"
    }
  }
}
