import HTTPTypes
import Link
import OnTheMap
import Store
import Web

/// Posts that their owners edit or delete.
///
/// The store calls back on its writer's queue, one commit after the other and within each in the order of the writes,
/// with settlements among them: so changes come to the feeds by rising numbers, whoever made them.
extension PostQueue {
  /// Deletes an account's post. On disk on return, and on its way to the feeds.
  ///
  /// - Throws: `Problem.postNotFound`, `StoreError`.
  func delete(_ post: PostID, of account: AccountID) async throws {
    let deletion = try await withCheckedThrowingContinuation { continuation in
      database.delete(post, of: account, unixMs: WallClock.unixMs) { [self] result in
        if case .success(.listed(let change)) = result { tell([change]) }
        continuation.resume(with: result)
      }
    }
    switch deletion {
    case .notFound: throw Problem.postNotFound
    case .unlisted: release(post)
    case .listed: break
    }
  }

  /// Makes an account's post another one. On disk on return, and on its way to the feeds. Asks a worker where the place
  /// or the coordinates are others than before.
  ///
  /// - Parameter whenGone: takes what is to be called when the client has gone.
  /// - Returns: the post as it is then.
  /// - Throws: `Problem` where there is none, it is queued, or the place is not known or cannot be looked up; nothing
  ///   has changed then. `StoreError`.
  func edit(
    _ id: PostID, of account: AccountID, _ submission: Submission,
    whenGone: (@escaping @Sendable () -> Void) -> Void = { _ in }
  ) async throws -> Post {
    guard let post = try await database.post(id), post.account == account else { throw Problem.postNotFound }
    guard post.state != .queued else { throw Problem.postQueued }
    let published: Verdict.Published
    if let known = post.outcome(of: submission) {
      published = known
    } else {
      published = try await outcome(of: submission, whenGone: whenGone)
    }
    let edit = try await withCheckedThrowingContinuation { continuation in
      database.edit(id, of: account, submission, published, unixMs: WallClock.unixMs) { [self] result in
        if case .success(.published(let entry)) = result { tell([.put(entry)]) }
        continuation.resume(with: result)
      }
    }
    switch edit {
    case .notFound: throw Problem.postNotFound
    case .queued: throw Problem.postQueued
    case .published(let entry): return Post(entry, published)
    }
  }

  /// What a settlement would make of a submission.
  private func outcome(
    of submission: Submission, whenGone: (@escaping @Sendable () -> Void) -> Void
  ) async throws -> Verdict.Published {
    let places = try await lookups.places(PlaceQuery(submission.place), whenGone: whenGone)
    switch ResultCheck.verdict(place: submission.place, coordinate: submission.coordinate, found: places.first) {
    case .published(let published): return published
    case .rejected(let reason): throw Problem(.unprocessableContent, reason.code, reason.detail, field: "place")
    }
  }
}

extension Post {
  /// What was found for the post, where a submission is for the same place; nil where that is to be looked up.
  fileprivate func outcome(of submission: Submission) -> Verdict.Published? {
    guard let outcome, submission.place == place else { return nil }
    // Coordinates that nobody gave are the place's.
    let isSamePoint = submission.coordinate.map { $0 == outcome.coordinate } ?? (outcome.agreement == .found)
    return isSamePoint ? outcome : nil
  }

  /// A line of the list.
  fileprivate init(_ entry: FeedEntry, _ published: Verdict.Published) {
    self.init(
      id: entry.id, account: entry.account, place: entry.place, link: entry.link, state: .published,
      coordinate: entry.coordinate, outcome: published, reason: nil, seq: entry.seq, createdMs: entry.createdMs,
      updatedMs: entry.updatedMs)
  }
}
