package import Domain

/// An ordered write: one atomic transaction on posts or on the queue.
///
/// Sequence numbers of the list rise in commit order. A number may be skipped. Times are milliseconds since 1970, UTC.
package enum PostWrite: Sendable {
  /// Stores posts of one account, each as a queued job. At most `capacity` new ones are stored. Posts that are already
  /// stored need no slot. A post whose key is already used, even in this write, is a repeat of the earlier one. Fails
  /// with `StoreError.noAccount` if the account is closed.
  case accept([NewPost], account: AccountID, capacity: Int, unixMs: Int64)
  /// Settles jobs, or counts a failure or a lost worker for them. A post that is not queued stays as it is, so a
  /// repeated settlement changes nothing.
  case settle([SettlementRecord], unixMs: Int64)
  /// Deletes a post of an account: its content and its history. Its id and its key stay in use. The job of a queued
  /// post continues, and its settlement changes nothing.
  case delete(PostID, account: AccountID, unixMs: Int64)
  /// Replaces a post of an account under its id, and publishes it with `published`, unless it is queued.
  indirect case edit(PostID, account: AccountID, Submission, published: Verdict.Published, unixMs: Int64)
  /// Changes an account's own data. After a change of name, the account's posts on the list get new sequence numbers.
  indirect case changeProfile(AccountID, ProfileChange, unixMs: Int64)
  /// Erases posts of a closed account, by ascending id above `after`, at most `Limits.accountPostsErasedAtOnce`. After
  /// the last post it erases the account's name.
  case erasePosts(account: AccountID, after: PostID?, unixMs: Int64)
  /// Queues dead posts again, with their counts reset: the listed ones, or `limit` with a reason. Other posts stay as
  /// they are.
  case retryDead(DeadSelection, limit: Int, unixMs: Int64)
  /// Rejects dead posts for good. Other posts stay as they are.
  case discard([PostID], unixMs: Int64)
  /// Pauses the queue at a time, or resumes it with nil. A paused queue keeps its first time.
  case pause(sinceMs: Int64?)
}
