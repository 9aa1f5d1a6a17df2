/// What an operator may ask of ingest: a closed set.
package enum AdminRequest: Sendable, Equatable {
  case status
  /// A page of posts by rising id: in one state of `QueueState.listed`, or all waiting posts with nil. `reason` is for
  /// dead posts only. The limit is 1 … `Limits.adminPostsMax`.
  case list(state: QueueState?, reason: String?, after: PostID?, limit: Int)
  case show(PostID)
  /// Dead posts back into the queue.
  case retry(DeadSelection)
  /// Dead posts ended for good: 1 … `Limits.adminPostsMax`.
  case drop([PostID])
  case pause
  case resume
  /// A page of accounts by rising number, or the one with an e-mail address. The limit is 1 … `Limits.adminUsersMax`.
  case users(email: String?, after: AccountID?, limit: Int)
  case addUser(NewUser)
  case setUser(email: String, UserChange)
}

/// Dead posts that are meant.
package enum DeadSelection: Sendable, Equatable {
  /// 1 … `Limits.adminPostsMax`.
  case these([PostID])
  /// The next `Limits.adminPostsMax` of all, or of all with a reason.
  case all(reason: String?, after: PostID?)
}

/// What ingest answers to an operator.
package enum AdminReply: Sendable, Equatable {
  case status(QueueStatus)
  /// `next` is the last id, where more may follow.
  case list([QueueEntry], next: PostID?)
  /// The history is oldest first, `Limits.postEventsShownMax` at most.
  case report(QueueEntry, [PostEvent])
  case changed(QueueChange)
  /// Since when, ms since 1970, UTC; nil when it is not paused.
  case paused(sinceMs: Int64?)
  /// `next` is the last account, where more may follow.
  case users([User], next: AccountID?)
  /// As it is now. On disk.
  case user(User)
  case refused(AdminRefusal)
}

/// What became of posts that an operator wanted to change. On disk.
package struct QueueChange: Sendable, Equatable {
  /// A post that is not dead.
  package struct Unchanged: Sendable, Equatable {
    package let id: PostID
    /// Nil where there is no such post.
    package let state: QueueState?

    package init(id: PostID, state: QueueState?) {
      self.id = id
      self.state = state
    }
  }

  /// Those that are changed.
  package var done: [PostID]
  /// The others.
  package var unchanged: [Unchanged]
  /// The last id, where more may follow.
  package var next: PostID?

  package init(done: [PostID] = [], unchanged: [Unchanged] = [], next: PostID? = nil) {
    self.done = done
    self.unchanged = unchanged
    self.next = next
  }
}

/// Why an operator is not answered.
package struct AdminRefusal: Error, Sendable, Equatable, CustomStringConvertible {
  /// What to do about it.
  package enum Code: UInt8, Sendable {
    /// A bug of the tool.
    case malformed = 1
    /// Use a tool of ingest's version.
    case unsupportedVersion = 2
    /// There is no such post, or no such account.
    case notFound = 3
    /// Try again later.
    case busy = 4
    /// The disk did not take it, or cannot be read.
    case failed = 5
    /// An account cannot be made or changed like this.
    case invalid = 6
  }

  package let code: Code
  /// For people.
  package let detail: String

  package init(_ code: Code, _ detail: String) {
    self.code = code
    self.detail = detail
  }

  package var description: String { detail }
}
