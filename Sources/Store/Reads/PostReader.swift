package import Domain

/// Reads of posts. Each read sees all writes that were durable at its beginning.
package protocol PostReader: Sendable {
  /// Returns the result that an acceptance with this idempotency key would have. Nil for a new key.
  func accepted(
    _ idempotency: Idempotency, account: AccountID
  ) async throws -> Result<AcceptedPost, IdempotencyConflict>?

  /// Returns the posts with these ids, each once, in any order, without deleted and unknown posts.
  func posts(_ ids: [PostID]) async throws -> [Post]

  /// Returns the latest posts, at most `Limits.feedEntriesMax`, with the sequence number of the latest change.
  func latest() async throws -> FeedState

  /// Returns a page of an account's own posts, in any state but deleted, ordered by id.
  ///
  /// - Parameters:
  ///   - after: Lower bound of the ids, exclusive, or upper bound if `isNewestFirst`. Nil for all.
  ///   - limit: 1 … `Limits.pagePostsMax`.
  /// - Returns: matching posts, and the post from which to continue, or nil at the end. The page examines the account's
  ///   next `Limits.searchScanMax` posts, or fewer at its timeout.
  /// - Throws: `StoreError.tooManyScans` and `.scanEnded`, which may be retried. An account with few posts causes
  ///   neither.
  func posts(
    of account: AccountID, _ filter: PostFilter, isNewestFirst: Bool, after: PostID?, limit: Int, for client: ScanClient
  ) async throws -> (posts: [Post], next: PostID?)

  /// Returns a page of the matching published posts, newest first.
  ///
  /// - Parameters:
  ///   - below: Upper bound of the sequence numbers, exclusive. Nil for all.
  ///   - limit: 1 … `Limits.pagePostsMax`.
  /// - Returns: matching posts, and the sequence number below which to continue, or nil at the end. The page examines
  ///   the next `Limits.searchScanMax` posts, or fewer at its timeout.
  /// - Throws: `StoreError.tooManyScans` and `.scanEnded`, which may be retried.
  func published(
    _ filter: PostFilter, below: UInt64?, limit: Int, for client: ScanClient
  ) async throws -> (entries: [FeedEntry], next: UInt64?)

  /// Returns a page of the published posts for the compatibility API. A query with a condition, or in order of
  /// creation, covers only the latest `Limits.whereScanMax` posts: of the condition's account if it names one, else of
  /// all.
  ///
  /// - Throws: `StoreError.tooManyScans` and `.scanEnded`, which may be retried. Pages of the list without a condition,
  ///   and accounts with few posts, cause neither.
  func listed(_ query: ListQuery, for client: ScanClient) async throws -> [ListedPost]

  /// Returns the number of an account's posts on the list that a change of profile would publish again. 0 if the name
  /// stays.
  func listedPosts(renamedBy change: ProfileChange, of account: AccountID) async throws -> Int
}

extension PostReader {
  /// Returns a post by its id. Nil for a deleted or unknown post.
  package func post(_ id: PostID) async throws -> Post? { try await posts([id]).first }
}
