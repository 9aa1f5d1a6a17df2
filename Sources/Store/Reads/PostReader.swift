package import Domain

/// Reads of posts. Each sees all writes that were durable when it began.
package protocol PostReader: Sendable {
  /// Returns the result that an acceptance under this key would have; nil for a new key.
  func accepted(
    _ idempotency: Idempotency, account: AccountID
  ) async throws -> Result<AcceptedPost, IdempotencyConflict>?

  /// Returns posts by their ids, each once, in no order, without deleted and unknown ones.
  func posts(_ ids: [PostID]) async throws -> [Post]

  /// Returns the latest posts, `Limits.feedEntriesMax` at most, with the sequence number of the latest change.
  func latest() async throws -> FeedState

  /// Returns a page of an account's own posts, in any state but deleted, by their ids.
  ///
  /// - Parameters:
  ///   - after: only posts with greater ids, or with lesser ones if the newest come first; nil for all.
  ///   - limit: 1 … `Limits.pagePostsMax`.
  /// - Returns: the posts that match among the next `Limits.searchScanMax` of the account, or among as many as time
  ///   allowed, and the post from which to go on; nil if nothing follows.
  /// - Throws: `StoreError.tooManyScans` and `.scanEnded`, which may be retried; neither if the account has few posts.
  func posts(
    of account: AccountID, _ filter: PostFilter, isNewestFirst: Bool, after: PostID?, limit: Int, for client: ScanClient
  ) async throws -> (posts: [Post], next: PostID?)

  /// Returns a page of the published posts that match, newest first.
  ///
  /// - Parameters:
  ///   - below: only posts with lower sequence numbers; nil for all.
  ///   - limit: 1 … `Limits.pagePostsMax`.
  /// - Returns: the posts that match among the next `Limits.searchScanMax`, or among as many as time allowed, and the
  ///   sequence number below which to go on; nil if nothing follows.
  /// - Throws: `StoreError.tooManyScans` and `.scanEnded`, which may be retried.
  func published(
    _ filter: PostFilter, below: UInt64?, limit: Int, for client: ScanClient
  ) async throws -> (entries: [FeedEntry], next: UInt64?)

  /// Returns a page of the published posts for the classic API. With a condition, or by their creation, of the latest
  /// `Limits.whereScanMax` only: of all, or of the account's that the condition asks for.
  ///
  /// - Throws: `StoreError.tooManyScans` and `.scanEnded`, which may be retried; neither for a part of the latest posts
  ///   without a condition, or if the account has few posts.
  func listed(_ query: ListQuery, for client: ScanClient) async throws -> [ListedPost]

  /// Returns the number of an account's posts on the list that a change would publish again: 0 if the name stays.
  func listedPosts(renamedBy change: ProfileChange, of account: AccountID) async throws -> Int
}

extension PostReader {
  /// Returns a post by its id; nil for a deleted or unknown one.
  package func post(_ id: PostID) async throws -> Post? { try await posts([id]).first }
}
