package import Domain

/// Reads of posts. Each sees all writes that were durable when it began.
package protocol PostReader: Sendable {
  /// Returns the result that an acceptance with this key would have. Nil for a new key.
  func accepted(
    _ idempotency: Idempotency, account: AccountID
  ) async throws -> Result<AcceptedPost, IdempotencyConflict>?

  /// Returns posts by their ids, each once, in no order, without deleted and unknown ones.
  func posts(_ ids: [PostID]) async throws -> [Post]

  /// Returns the latest posts, at most `Limits.feedEntriesMax`, with the sequence number of the latest change.
  func latest() async throws -> FeedState

  /// Returns a page of an account's own posts, in any state but deleted, ordered by id.
  ///
  /// - Parameters:
  ///   - after: bound of the ids, exclusive: lower, or upper if the newest come first. Nil for all.
  ///   - limit: 1 … `Limits.pagePostsMax`.
  /// - Returns: matching posts, and the post from which to continue, or nil at the end. The page examines the account's
  ///   next `Limits.searchScanMax` posts, or fewer at its timeout.
  /// - Throws: `StoreError.tooManyScans` and `.scanEnded`, which may be retried. Neither if the account has few posts.
  func posts(
    of account: AccountID, _ filter: PostFilter, isNewestFirst: Bool, after: PostID?, limit: Int, for client: ScanClient
  ) async throws -> (posts: [Post], next: PostID?)

  /// Returns a page of the matching published posts, newest first.
  ///
  /// - Parameters:
  ///   - below: upper bound of the sequence numbers, exclusive. Nil for all.
  ///   - limit: 1 … `Limits.pagePostsMax`.
  /// - Returns: matching posts, and the sequence number below which to continue, or nil at the end. The page examines
  ///   the next `Limits.searchScanMax` posts, or fewer at its timeout.
  /// - Throws: `StoreError.tooManyScans` and `.scanEnded`, which may be retried.
  func published(
    _ filter: PostFilter, below: UInt64?, limit: Int, for client: ScanClient
  ) async throws -> (entries: [FeedEntry], next: UInt64?)

  /// Returns a page of the published posts for the compatibility API. With a condition, or in order of creation, it
  /// covers only the latest `Limits.whereScanMax` posts, of all accounts or of the condition's account.
  ///
  /// - Throws: `StoreError.tooManyScans` and `.scanEnded`, which may be retried. Neither for a part of the latest posts
  ///   without a condition, or if the account has few posts.
  func listed(_ query: ListQuery, for client: ScanClient) async throws -> [ListedPost]

  /// Returns the number of an account's posts on the list that a change would publish again. 0 if the name stays.
  func listedPosts(renamedBy change: ProfileChange, of account: AccountID) async throws -> Int
}

extension PostReader {
  /// Returns a post by its id. Nil for a deleted or unknown post.
  package func post(_ id: PostID) async throws -> Post? { try await posts([id]).first }
}
