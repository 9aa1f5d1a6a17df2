import Domain
import HTTPTypes
import Messaging
import Store
import Web

/// Edits and deletions by owners. The changes reach the feeds through the store's `ChangeSource`.
extension PostPipeline {
  /// Deletes an account's post. The deletion is durable on return, and the feeds get it.
  ///
  /// - Throws: `Problem.postNotFound`, `StoreError`.
  func delete(_ post: PostID, of account: AccountID) async throws {
    switch try await database.delete(post, of: account, unixMs: WallClock.unixMs) {
    case .notFound: throw Problem.postNotFound
    case .unlisted, .listed: break
    }
  }

  /// Edits an account's post. The edit is durable on return, and the feeds get it. A new place or coordinate needs a
  /// lookup.
  ///
  /// - Parameter onWaitEnd: Receives a callback. Call the callback to end the wait.
  /// - Returns: The edited post.
  /// - Throws: `StoreError`, or a `Problem`. Causes of a problem are a missing or queued post, the rate limit, an
  ///   unknown place, and a failed lookup. The post is unchanged, except perhaps after `StoreError.unknownOutcome`.
  func edit(
    _ id: PostID, of account: AccountID, _ submission: Submission,
    onWaitEnd: (@escaping @Sendable () -> Void) -> Void = { _ in }
  ) async throws -> Post {
    guard let post = try await database.post(id), post.account == account else { throw Problem.postNotFound }
    guard post.state != .queued else { throw Problem.postQueued }
    if let refusal = consumeRate(1, of: account).refusal { throw refusal }
    do {
      let known = post.outcome(of: submission)
      let published = if let known { known } else { try await outcome(of: submission, onWaitEnd: onWaitEnd) }
      return try await edit(id, of: account, submission, published)
    } catch {
      // The edit has changed nothing.
      refundRate(1, of: account)
      throw error
    }
  }

  private func edit(
    _ id: PostID, of account: AccountID, _ submission: Submission, _ published: Verdict.Published
  ) async throws -> Post {
    switch try await database.edit(id, of: account, submission, published, unixMs: WallClock.unixMs) {
    case .notFound: throw Problem.postNotFound
    case .queued: throw Problem.postQueued
    case .published(let entry): return Post(entry, published)
    }
  }

  /// Changes an account's own data, which its posts show. The change is durable on return, and the feeds get it. A new
  /// name counts as an edit of each of the account's posts on the list, because feeds publish each of them again.
  ///
  /// - Throws: `Problem.unauthorized` if the account is deleted. A `Problem` if another account has the address, or the
  ///   rate limit forbids that number of edits. Also `StoreError`. The account is unchanged, except perhaps after
  ///   `StoreError.unknownOutcome`.
  func change(_ account: AccountID, _ change: ProfileChange) async throws -> Account {
    let edits = try await database.listedPosts(renamedBy: change, of: account)
    if let refusal = consumeWholeRate(edits, of: account) { throw refusal }
    do { return try await changed(account, change) } catch {
      refundRate(edits, of: account)
      throw error
    }
  }

  private func changed(_ account: AccountID, _ change: ProfileChange) async throws -> Account {
    switch try await database.change(account, change, unixMs: WallClock.unixMs) {
    case .notFound: throw Problem.unauthorized
    case .emailTaken: throw Problem.emailTaken
    case .changed(let account, _): return account
    }
  }

  /// Erases all posts of a closed account. The erasure is durable on return, and the feeds get it. After a failure, the
  /// next start of ingest continues it.
  func erasePosts(of account: AccountID) async throws {
    var after: PostID?
    repeat {
      after = try await database.erasePosts(of: account, after: after, unixMs: WallClock.unixMs).next
    } while after != nil
  }

  /// Looks up a submission's place. Returns the outcome that a settlement of the submission would have.
  private func outcome(
    of submission: Submission, onWaitEnd: (@escaping @Sendable () -> Void) -> Void
  ) async throws -> Verdict.Published {
    let places = try await lookups.places(PlaceQuery(submission.place), onWaitEnd: onWaitEnd)
    switch PlacementCheck.verdict(place: submission.place, coordinate: submission.coordinate, found: places.first) {
    case .published(let published): return published
    case .rejected(let reason): throw Problem(.unprocessableContent, reason.code, reason.detail, field: "place")
    }
  }
}

extension Post {
  /// Returns the post's outcome if it also holds for a submission. Nil if the submission needs a lookup.
  fileprivate func outcome(of submission: Submission) -> Verdict.Published? {
    guard let outcome, submission.place == place else { return nil }
    // A coordinate that the user did not give belongs to the place.
    let isSamePoint = submission.coordinate.map { $0 == outcome.coordinate } ?? (outcome.agreement == .notGiven)
    return isSamePoint ? outcome : nil
  }

  /// Creates the post of a list entry.
  fileprivate init(_ entry: FeedEntry, _ published: Verdict.Published) {
    self.init(
      id: entry.id, account: entry.account, place: entry.place, link: entry.link, state: .published,
      coordinate: entry.coordinate, outcome: published, reason: nil, seq: entry.seq, createdMs: entry.createdMs,
      updatedMs: entry.updatedMs)
  }
}
