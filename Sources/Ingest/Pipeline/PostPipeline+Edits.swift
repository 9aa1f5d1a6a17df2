import Domain
import HTTPTypes
import Messaging
import Store
import Web

/// Posts that their owners edit or delete. The changes reach the feeds through the store's `ChangeSource`.
extension PostPipeline {
  /// Deletes an account's post. On disk on return, and on its way to the feeds.
  ///
  /// - Throws: `Problem.postNotFound`, `StoreError`.
  func delete(_ post: PostID, of account: AccountID) async throws {
    switch try await database.delete(post, of: account, unixMs: WallClock.unixMs) {
    case .notFound: throw Problem.postNotFound
    case .unlisted, .listed: break
    }
  }

  /// Makes an account's post another one. On disk on return, and on its way to the feeds. Asks a worker where the place
  /// or the coordinates are others than before.
  ///
  /// - Parameter onDisconnect: takes what is to be called when the client has gone.
  /// - Returns: the post as it is then.
  /// - Throws: `Problem` where there is none, it is queued, or the place is not known or cannot be looked up; nothing
  ///   has changed then. `StoreError`.
  func edit(
    _ id: PostID, of account: AccountID, _ submission: Submission,
    onDisconnect: (@escaping @Sendable () -> Void) -> Void = { _ in }
  ) async throws -> Post {
    guard let post = try await database.post(id), post.account == account else { throw Problem.postNotFound }
    guard post.state != .queued else { throw Problem.postQueued }
    if let refusal = consumeRate(1, of: account).refusal { throw refusal }
    do {
      let known = post.outcome(of: submission)
      let published = if let known { known } else { try await outcome(of: submission, onDisconnect: onDisconnect) }
      return try await edit(id, of: account, submission, published)
    } catch {
      // It has changed nothing.
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

  /// Changes an account's own data, which its posts show. On disk on return, and on its way to the feeds. Another name
  /// counts as an edit of each of the account's posts on the list: feeds publish each again.
  ///
  /// - Throws: `Problem.unauthorized` if the account is gone; a `Problem` if another account has the address, or if the
  ///   account may not make so many edits now. Nothing has changed then. `StoreError`.
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

  /// Takes all that a closed account has posted. On disk on return, and on its way to the feeds; after a failure the
  /// next start of ingest goes on with it.
  func erasePosts(of account: AccountID) async throws {
    var after: PostID?
    repeat {
      after = try await database.erasePosts(of: account, after: after, unixMs: WallClock.unixMs).next
    } while after != nil
  }

  /// What a settlement would make of a submission.
  private func outcome(
    of submission: Submission, onDisconnect: (@escaping @Sendable () -> Void) -> Void
  ) async throws -> Verdict.Published {
    let places = try await lookups.places(PlaceQuery(submission.place), onDisconnect: onDisconnect)
    switch PlacementCheck.verdict(place: submission.place, coordinate: submission.coordinate, found: places.first) {
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
    let isSamePoint = submission.coordinate.map { $0 == outcome.coordinate } ?? (outcome.agreement == .notProvided)
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
