package import Domain

/// An ordered write: one transaction on posts or on the queue. All of it is stored, or nothing.
///
/// Sequence numbers of the list rise in the order of the commits; a number may be skipped. Times are milliseconds since
/// 1970, UTC.
package enum PostWrite: Sendable {
  /// Stores posts of one account; each is a queued job from then on. At most `room` new ones are stored; posts that are
  /// stored already need none. Of two with the same key the second is the first. Fails with `StoreError.noAccount` if
  /// the account is closed.
  case accept([NewPost], account: AccountID, room: Int, unixMs: Int64)
  /// Settles jobs, or counts a failure or a lost worker for them. A post that is not queued stays as it is, so that a
  /// repeated settlement changes nothing.
  case settle([SettlementRecord], unixMs: Int64)
  /// Deletes a post of an account's: its content and its history. Its id and its key stay used. The job of a queued
  /// post goes on, and its settlement changes nothing.
  case delete(PostID, account: AccountID, unixMs: Int64)
  /// Replaces a post of an account's under its id, and publishes it with `published`, unless it is queued.
  indirect case edit(PostID, account: AccountID, Submission, published: Verdict.Published, unixMs: Int64)
  /// Changes an account's own data. With another name the account's posts on the list take new sequence numbers.
  indirect case changeProfile(AccountID, ProfileChange, unixMs: Int64)
  /// Erases posts of a closed account, by rising id from behind `after`: `Limits.accountPostsErasedAtOnce` at most, and
  /// after the last of them the account's name.
  case erasePosts(account: AccountID, after: PostID?, unixMs: Int64)
  /// Queues dead posts again, with fresh counts: those that are named, or `limit` of a reason. Another post stays as it
  /// is.
  case retryDead(DeadSelection, limit: Int, unixMs: Int64)
  /// Rejects dead posts for good. Another post stays as it is.
  case drop([PostID], unixMs: Int64)
  /// Pauses the queue since a time, or resumes it with nil. A paused queue stays paused since its first time.
  case pause(sinceMs: Int64?)
}
