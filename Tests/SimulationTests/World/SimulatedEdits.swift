import Fuzzing
import Store

@testable import Domain

/// An owner's edit or deletion of a stored post, repeated until it has a response.
struct Revision {
  let post: PostID
  let account: AccountID
  /// The new content. Nil for a deletion.
  let edited: Submission?
  var hasResponse = false
}

extension Simulation {
  /// Starts an edit or deletion of a post of this run, or of one from before it.
  func revise() throws {
    let newPosts = ledger.posts.filter { !fixture.posts.keys.contains($0.key) }.keys
    let known = newPosts.filter { id in clients.contains { $0.pendingPosts.contains { $0.acceptedID == id } } }.sorted()
    let ids = known.isEmpty || random.happens(50) ? fixture.posts.keys.sorted() : known
    let id = random.one(of: ids)
    guard let entry = ledger.posts[id] else { return }
    var edited: Submission?
    if random.happens(40) {
      let link = "edited.example.org/\(revisions.count)"
      edited = try Submission(place: entry.place, link: link, latitude: nil, longitude: nil)
    }
    revisions.append(Revision(post: id, account: entry.account, edited: edited))
    sendRevision(revisions.count - 1)
  }

  func sendRevision(_ number: Int) {
    guard !revisions[number].hasResponse else { return }
    for delayMs in network.delays(between: nil, .toIngest, nowMs: nowMs, using: &random) {
      eventQueue.schedule(.revisionArrives(number), inMs: delayMs)
    }
    eventQueue.schedule(.ownerSends(number), inMs: random.between(1_000, 3_000))
  }

  func ingestReceives(revision number: Int) {
    guard ingest != nil else { return }
    if mayCrash(.ingestHasRequest) { return endIngest("ingestHasRequest") }
    submit(write(for: revisions[number]), .owner(number))
  }

  private func write(for revision: Revision) -> PostWrite {
    guard let submission = revision.edited else {
      return .delete(revision.post, account: revision.account, unixMs: unixMs)
    }
    guard let point = Coordinate(latitudeE7: 1, longitudeE7: 1) else {
      preconditionFailure("The point is on the earth.")
    }
    let published = Verdict.Published(
      coordinate: point, label: "Here: \(submission.place)", countryCode: "", agreement: .notGiven)
    return .edit(revision.post, account: revision.account, submission, published: published, unixMs: unixMs)
  }

  /// Records a committed write in the ledger.
  func record(_ revision: Revision, _ deletion: PostWriteResult.Deletion) {
    let fate = ledger.posts[revision.post]?.fate
    trace("post \(revision.post.rawValue) is deleted: \(fate.map { "\($0)" } ?? "")")
    deletions += 1
    if case .listed(.remove(_, _, .some)) = deletion { backfills += 1 }
    // The job of the deleted post is still queued.
    if fate == .queued { store.leave(revision.post) }
    ledger.delete(revision.post, deletion)
  }

  /// Records a committed write in the ledger.
  func record(_ revision: Revision, _ edit: PostWriteResult.Edit) {
    trace("post \(revision.post.rawValue) is edited")
    edits += 1
    if let edited = revision.edited { ledger.edit(revision.post, edited, edit) }
  }

  /// Sends the response to the owner.
  func respond(toRevision number: Int) {
    for delayMs in network.delays(between: nil, .toWorker, nowMs: nowMs, using: &random) {
      eventQueue.schedule(.revisionResponseArrives(number), inMs: delayMs)
    }
  }
}

extension Ledger {
  /// Records the posts from before the run.
  mutating func begin(_ posts: [PostID: Entry]) {
    self.posts = posts
    seq = UInt64(posts.count)
  }

  /// All published posts, newest first.
  var published: [(id: PostID, seq: UInt64)] {
    posts.compactMap { id, entry in if case .published(let seq) = entry.fate { (id, seq) } else { nil } }
      .sorted { $0.seq > $1.seq }
  }

  /// The published posts that the list holds.
  var latest: ArraySlice<(id: PostID, seq: UInt64)> { published.prefix(Limits.feedEntriesMax) }

  mutating func delete(_ id: PostID, _ deletion: PostWriteResult.Deletion) {
    let list = published.map(\.id)
    switch posts[id]?.fate {
    case .published:
      seq += 1
      let isListed = list.prefix(Limits.feedEntriesMax).contains(id)
      let next = isListed ? list.dropFirst(Limits.feedEntriesMax).first : nil
      guard case .listed(.remove(id, seq, let found)) = deletion, found?.id == next else {
        return recordViolation("post \(id) is deleted with a wrong change of the list: \(deletion)")
      }
    case .queued, .rejected, .dead: expect(deletion == .unlisted, "post \(id) was not listed: \(deletion)")
    case .deleted, nil: expect(deletion == .notFound, "post \(id) is deleted a second time: \(deletion)")
    }
    guard posts[id] != nil else { return }
    posts[id]?.fate = .deleted
    queued.remove(id)
  }

  mutating func edit(_ id: PostID, _ submission: Submission, _ edit: PostWriteResult.Edit) {
    switch posts[id]?.fate {
    case .published, .rejected, .dead:
      seq += 1
      let next = seq
      guard case .published(let entry) = edit, entry.id == id, entry.seq == next, entry.place == submission.place,
        entry.link == submission.link
      else { return recordViolation("post \(id) is edited with a wrong result") }
      posts[id]?.fate = .published(seq: next)
      posts[id]?.link = entry.link
    case .queued: expect(edit == .queued, "post \(id) is edited while it is queued")
    case .deleted, nil: expect(edit == .notFound, "post \(id) is edited after its deletion")
    }
  }
}
