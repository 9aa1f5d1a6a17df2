/// An operator's request to ingest.
package enum AdminRequest: Sendable, Equatable {
  case status
  /// A page of posts after the id `after`, in ascending order of id. `state` is one of `QueueState.listed`, or nil for
  /// all queued posts. `reason` applies to dead posts only. `limit` is 1 … `Limits.adminPostsMax`.
  case list(state: QueueState?, reason: String?, after: PostID?, limit: Int)
  case show(PostID)
  /// Returns dead posts to the queue.
  case retry(DeadSelection)
  /// Rejects dead posts permanently: 1 … `Limits.adminPostsMax` posts.
  case discard([PostID])
  case pause
  case resume
  /// A page of accounts after `after`, in ascending order of account id, or the account with the email address `email`.
  /// `limit` is 1 … `Limits.adminUsersMax`.
  case users(email: String?, after: AccountID?, limit: Int)
  case addUser(NewUser)
  case setUser(email: String, UserChange)
  /// Starts a backup. The reply comes before the backup ends.
  case backUp(BackupRequest)
  /// The state of the latest backup.
  case backupState
}

/// Selection of dead posts.
package enum DeadSelection: Sendable, Equatable {
  /// 1 … `Limits.adminPostsMax` posts by id.
  case posts([PostID])
  /// The first `Limits.adminPostsMax` dead posts after the id `after`. If `reason` is not nil, only dead posts with
  /// this reason count.
  case all(reason: String?, after: PostID?)
}

/// Ingest's reply to an operator.
package enum AdminReply: Sendable, Equatable {
  case status(QueueStatus)
  /// A page of posts. `next` is the id of the last post, or nil if no more posts follow.
  case list([QueueEntry], next: PostID?)
  /// A post with its history, oldest first, at most `Limits.postEventsShownMax` events.
  case report(QueueEntry, [PostEvent])
  case changed(QueueChange)
  /// State of the pause. `sinceMs` is its start in milliseconds since 1970, UTC, or nil if the queue is running.
  case paused(sinceMs: Int64?)
  /// A page of accounts. `next` is the id of the last account, or nil if no more accounts follow.
  case users([User], next: AccountID?)
  /// The account after a durable change.
  case user(User)
  /// State of the latest backup since ingest's start. Nil if there was none.
  case backup(BackupState?)
  case refused(AdminRefusal)
}

/// Effect of an operator's change to posts. The change is durable.
package struct QueueChange: Sendable, Equatable {
  /// A post that was not changed because it is not dead.
  package struct Unchanged: Sendable, Equatable {
    package let id: PostID
    /// State of the post. Nil if no such post exists.
    package let state: QueueState?

    package init(id: PostID, state: QueueState?) {
      self.id = id
      self.state = state
    }
  }

  /// Posts that were changed.
  package var done: [PostID]
  /// Posts that were not changed.
  package var unchanged: [Unchanged]
  /// Id of the last post examined: `after` of the next request. Nil if no more posts follow.
  package var next: PostID?

  package init(done: [PostID] = [], unchanged: [Unchanged] = [], next: PostID? = nil) {
    self.done = done
    self.unchanged = unchanged
    self.next = next
  }
}

/// Ingest's refusal of an operator's request.
package struct AdminRefusal: Error, Sendable, Equatable, CustomStringConvertible {
  /// Reason for the refusal, which decides what the tool does next.
  package enum Code: UInt8, Sendable {
    /// Ingest cannot decode the request, because of a bug in the tool.
    case malformed = 1
    /// The request has another version of the protocol. Use a tool of ingest's version.
    case unsupportedVersion = 2
    /// The post or the account does not exist.
    case notFound = 3
    /// Ingest is busy. Retry later.
    case busy = 4
    /// Ingest could not write or read the disk.
    case failed = 5
    /// The account cannot be created or changed with these values, or the store makes no backups.
    case invalid = 6
  }

  package let code: Code
  /// Explanation for people.
  package let detail: String

  package init(_ code: Code, _ detail: String) {
    self.code = code
    self.detail = detail
  }

  package var description: String { detail }
}
