package import Domain

/// An ordered write: one atomic transaction on posts or on the queue.
///
/// Sequence numbers of the list rise in commit order, and may skip numbers. Times are milliseconds since 1970, UTC.
package enum PostWrite: Sendable {
  /// Stores at most `capacity` new posts of one account, each as a queued job. A post whose idempotency key is already
  /// used, even in the same write, repeats the earlier post and needs no slot. Fails with `StoreError.noAccount` if the
  /// account is closed.
  case accept([NewPost], account: AccountID, capacity: Int, unixMs: Int64)
  /// Settles jobs, or counts a failed attempt or a lost lease of a job. A post that is not queued stays as it is, so a
  /// repeated settlement changes nothing.
  case settle([SettlementRecord], unixMs: Int64)
  /// Deletes the content and the history of an account's post. The post's id and idempotency key stay in use. The job
  /// of a queued post continues, and its settlement changes nothing.
  case delete(PostID, account: AccountID, unixMs: Int64)
  /// Replaces the content of an account's post, and publishes the post with `published`. A queued post stays as it is.
  indirect case edit(PostID, account: AccountID, Submission, published: Verdict.Published, unixMs: Int64)
  /// Changes an account's own data. After a change of name, the account's posts on the list get new sequence numbers.
  indirect case changeProfile(AccountID, ProfileChange, unixMs: Int64)
  /// Erases at most `Limits.accountPostsErasedPerBatch` posts of a closed account, by ascending id above `after`. The
  /// write that erases the last posts also erases the account's name.
  case erasePosts(account: AccountID, after: PostID?, unixMs: Int64)
  /// Queues dead posts again, without their earlier attempts and lost leases. The selection names posts, or a reason
  /// for at most `limit` posts. Posts that are not dead stay as they are.
  case retryDead(DeadSelection, limit: Int, unixMs: Int64)
  /// Rejects dead posts permanently. Posts that are not dead stay as they are.
  case discard([PostID], unixMs: Int64)
  /// Pauses the queue at a time, or resumes it with nil. A queue that is already paused keeps its earlier time.
  case pause(sinceMs: Int64?)
}
