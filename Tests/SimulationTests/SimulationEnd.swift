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
    if !clients.allSatisfy(\.isContent) || !revisions.allSatisfy(\.isAnswered) { return "a client has no answer" }
    if let index = workers.firstIndex(where: { $0.phase != .running || $0.session.unacknowledged > 0 }) {
      return "worker \(index)"
    }
    if !store.waiting.isEmpty || store.isCommitting { return "writes" }
    if feed.state?.seq != ingest.log.seq { return "the feed" }
    return feed.replica.isLive && feed.replica.state?.seq == ingest.log.seq ? "" : "the subscriber"
  }

  func checkEnd() async throws {
    guard let database = store.database else { return ledger.complain("there is no database at the end") }
    let start = try database.start()
    let list = start.list
    ledger.expect(feed.state == list, "the feed's list is not the store's")
    ledger.expect(feed.replica.state == list, "the subscriber's list is not the store's")
    ledger.expect(start.jobs.isEmpty, "there are jobs on disk")
    for client in clients {
      let posts = try await database.posts(client.wishes.compactMap(\.answer))
      let found = Dictionary(uniqueKeysWithValues: posts.map { ($0.id, $0) })
      for wish in client.wishes {
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
    switch (post.state, Nature(of: post.place)) {
    case (.queued, _), (.deleted, _): false
    case (.dead, _): true
    case (.published, let nature): ![.poison, .broken, .nowhere, .hanging].contains(nature)
    case (.rejected, .nowhere): true
    case (.rejected, _): post.reason?.code == "dropped"
    }
  }
}
