/// State of a post, as an operator sees it. Only `JobScheduler` knows in which of the first five states a queued post
/// is.
package enum QueueState: UInt8, Sendable, CaseIterable {
  /// The post waits for a worker.
  case ready = 1
  /// A worker has a lease for the post.
  case leased = 2
  /// A worker's result is being written to disk.
  case committing = 3
  /// The post has failed, and becomes ready again after its backoff.
  case delayed = 4
  /// The post waits for a remote permit.
  case waitingRemote = 5
  /// The post left the queue without an outcome, with a stored reason. An operator may retry it.
  case dead = 6
  /// The post is published on the map.
  case published = 7
  /// The post is rejected permanently.
  case rejected = 8

  /// Name of the state for people and in JSON.
  package var name: String {
    switch self {
    case .ready: "ready"
    case .leased: "leased"
    case .committing: "committing"
    case .delayed: "delayed"
    case .waitingRemote: "waiting_remote"
    case .dead: "dead"
    case .published: "published"
    case .rejected: "rejected"
    }
  }

  /// States that can be listed. Published and rejected posts are not part of the queue.
  package static let listed = queued + [QueueState.dead]

  /// States of a queued post.
  package static let queued: [QueueState] = [.ready, .leased, .committing, .delayed, .waitingRemote]

  /// Converts the state of a stored post. A queued post becomes `.ready`, because only `JobScheduler` knows more. Nil
  /// for a deleted post.
  package init?(_ state: Post.State) {
    switch state {
    case .queued: self = .ready
    case .published: self = .published
    case .rejected: self = .rejected
    case .dead: self = .dead
    case .deleted: return nil
    }
  }
}

/// Placement of a post in the queue, as `JobScheduler` knows it.
package struct QueuePlacement: Sendable, Equatable {
  package let id: PostID
  /// State of the post, one of `QueueState.queued`.
  package let state: QueueState
  /// Name of the worker with the lease. Empty unless the state is `.leased`.
  package let worker: String
  /// Time until the lease ends or the post becomes ready again, in milliseconds. Nil unless the post is leased or
  /// delayed.
  package let remainingMs: Int64?

  package init(id: PostID, state: QueueState, worker: String = "", remainingMs: Int64? = nil) {
    self.id = id
    self.state = state
    self.worker = worker
    self.remainingMs = remainingMs
  }
}

/// A post, as an operator sees it.
package struct QueueEntry: Sendable, Equatable {
  package let id: PostID
  package var state: QueueState
  package let account: AccountID
  /// Place as typed.
  package let place: String
  /// Link of the post. Empty in a list.
  package var link: String
  /// Number of failed attempts that count against the post.
  package let attempts: Int
  /// Number of lost workers that count against the post.
  package let leaseLosses: Int
  /// Reason of a dead or rejected post. Nil for other posts.
  package let reason: Verdict.Reason?
  /// Label of a published post, else empty.
  package let label: String
  /// Time of acceptance, in milliseconds since 1970, UTC.
  package let createdMs: Int64
  /// Time of the last change, in milliseconds since 1970, UTC.
  package let updatedMs: Int64
  /// Name of the worker with the lease. See `QueuePlacement`.
  package var worker = ""
  /// Time until the lease ends or the post becomes ready again, in milliseconds. See `QueuePlacement`.
  package var remainingMs: Int64?
  /// Trace of the request that submitted the post. Nil in a list.
  package var trace: TraceContext?

  package init(
    id: PostID, state: QueueState, account: AccountID, place: String, link: String, attempts: Int, leaseLosses: Int,
    reason: Verdict.Reason?, label: String, createdMs: Int64, updatedMs: Int64
  ) {
    self.id = id
    self.state = state
    self.account = account
    self.place = place
    self.link = link
    self.attempts = attempts
    self.leaseLosses = leaseLosses
    self.reason = reason
    self.label = label
    self.createdMs = createdMs
    self.updatedMs = updatedMs
  }

  /// Returns the entry with `JobScheduler`'s placement of the post. Without a placement, or if the post has left the
  /// queue in the store, the entry stays unchanged.
  package func placed(_ placement: QueuePlacement?) -> QueueEntry {
    guard let placement, placement.id == id, state == .ready else { return self }
    var entry = self
    (entry.state, entry.worker, entry.remainingMs) = (placement.state, placement.worker, placement.remainingMs)
    return entry
  }
}

/// An event in a post's history: a failure of its job, or an operator's action.
package struct PostEvent: Sendable, Equatable {
  /// Kind of event.
  package enum Kind: UInt8, Sendable {
    /// A worker's attempt failed. The job will be retried.
    case failed = 1
    /// The lease was lost with its worker, or it expired.
    case leaseLost = 2
    /// The post left the queue as dead.
    case died = 3
    /// An operator returned the post to the queue, with its counts reset.
    case retried = 4
    /// An operator discarded the post.
    case discarded = 5

    /// Name of the event for people and in JSON.
    package var name: String {
      switch self {
      case .failed: "failed"
      case .leaseLost: "lease_lost"
      case .died: "died"
      case .retried: "retried"
      case .discarded: "discarded"
      }
    }
  }

  package let kind: Kind
  /// Time of the event, in milliseconds since 1970, UTC.
  package let atMs: Int64
  /// Reason of the event. Both parts are empty if there is none.
  package let reason: Verdict.Reason

  package init(kind: Kind, atMs: Int64, reason: Verdict.Reason) {
    self.kind = kind
    self.atMs = atMs
    self.reason = reason
  }
}
