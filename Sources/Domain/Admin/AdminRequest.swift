/// An operator's request to ingest: a closed set.
package enum AdminRequest: Sendable, Equatable {
  case status
  /// A page of posts in ascending order of id: posts in one state of `QueueState.listed`, or all queued posts if the
  /// state is nil. `reason` applies to dead posts only. The limit is 1 … `Limits.adminPostsMax`.
  case list(state: QueueState?, reason: String?, after: PostID?, limit: Int)
  case show(PostID)
  /// Returns dead posts to the queue.
  case retry(DeadSelection)
  /// Ends dead posts for good: 1 … `Limits.adminPostsMax`.
  case discard([PostID])
  case pause
  case resume
  /// A page of accounts in ascending order of number, or the account with an e-mail address. The limit is 1 …
  /// `Limits.adminUsersMax`.
  case users(email: String?, after: AccountID?, limit: Int)
  case addUser(NewUser)
  case setUser(email: String, UserChange)
}

/// Selection of dead posts.
package enum DeadSelection: Sendable, Equatable {
  /// 1 … `Limits.adminPostsMax` posts by id.
  case posts([PostID])
  /// The next `Limits.adminPostsMax` dead posts, of all reasons or of one.
  case all(reason: String?, after: PostID?)
}

/// Ingest's reply to an operator.
package enum AdminReply: Sendable, Equatable {
  case status(QueueStatus)
  /// A page of posts. `next` is the last id, or nil if no more follow.
  case list([QueueEntry], next: PostID?)
  /// A post with its history, oldest first, at most `Limits.postEventsShownMax` events.
  case report(QueueEntry, [PostEvent])
  case changed(QueueChange)
  /// State of the pause. `sinceMs` is its start in milliseconds since 1970, UTC, or nil if the queue is running.
  case paused(sinceMs: Int64?)
  /// A page of accounts. `next` is the last account, or nil if no more follow.
  case users([User], next: AccountID?)
  /// The account after a durable change.
  case user(User)
  case refused(AdminRefusal)
}

/// Outcome of an operator's change to posts. The change is durable.
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
  /// The last id, or nil if no more posts follow.
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
    /// A bug of the tool: the request cannot be decoded.
    case malformed = 1
    /// Another version of the protocol. Use a tool of ingest's version.
    case unsupportedVersion = 2
    /// The post or the account does not exist.
    case notFound = 3
    /// Ingest is busy. Retry later.
    case busy = 4
    /// The disk could not be written or read.
    case failed = 5
    /// The account cannot be created or changed with these values.
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
