/// State of a post, as an operator sees it. The first five are the queue, and only `JobScheduler` knows them.
package enum QueueState: UInt8, Sendable, CaseIterable {
  /// Waits for a worker.
  case ready = 1
  /// With a worker.
  case leased = 2
  /// Its result is on its way to the disk.
  case settling = 3
  /// Failed; goes out again at its time.
  case delayed = 4
  /// Waits for leave to ask a remote provider.
  case waiting = 5
  /// Out of the queue, for the reason kept with it; an operator may bring it back.
  case dead = 6
  /// On the map.
  case published = 7
  /// Not on the map, for good.
  case rejected = 8

  /// The word for people and in JSON.
  package var word: String {
    switch self {
    case .ready: "ready"
    case .leased: "leased"
    case .settling: "settling"
    case .delayed: "delayed"
    case .waiting: "waiting"
    case .dead: "dead"
    case .published: "published"
    case .rejected: "rejected"
    }
  }

  /// Those that can be listed: what is settled for good is no part of the queue.
  package static let listed = queued + [QueueState.dead]

  /// The states of a waiting post: those of the queue itself.
  package static let queued: [QueueState] = [.ready, .leased, .settling, .delayed, .waiting]

  /// A queued post's is `.ready`: only `JobScheduler` knows better. Nil for a deleted one.
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

/// Where a post of the queue is.
package struct QueuePlacement: Sendable, Equatable {
  package let id: PostID
  /// One of the queue's own.
  package let state: QueueState
  /// The name of the worker that has it; empty for other states than `.leased`.
  package let worker: String
  /// Until its lease ends, or until it goes out again, in ms; nil for other states.
  package let leftMs: Int64?

  package init(id: PostID, state: QueueState, worker: String = "", leftMs: Int64? = nil) {
    self.id = id
    self.state = state
    self.worker = worker
    self.leftMs = leftMs
  }
}

/// A post, as an operator sees it.
package struct QueueEntry: Sendable, Equatable {
  package let id: PostID
  package var state: QueueState
  package let account: AccountID
  /// As typed.
  package let place: String
  /// Empty in a list.
  package var link: String
  /// Failed tries that count against it.
  package let attempts: Int
  /// Workers lost over it that count against it.
  package let leaseLosses: Int
  /// Of a dead or rejected post.
  package let reason: Verdict.Reason?
  /// Of a published post; else empty.
  package let label: String
  /// Milliseconds since 1970, UTC.
  package let createdMs: Int64
  /// Milliseconds since 1970, UTC.
  package let updatedMs: Int64
  /// See `QueuePlacement`.
  package var worker = ""
  /// See `QueuePlacement`.
  package var leftMs: Int64?
  /// The trace of the request that it came with; nil in a list.
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

  /// Returns the entry with what `JobScheduler` knows of the post; unchanged if the two disagree, because one of them
  /// is newer.
  package func placed(_ placement: QueuePlacement?) -> QueueEntry {
    guard let placement, placement.id == id, state == .ready else { return self }
    var entry = self
    (entry.state, entry.worker, entry.leftMs) = (placement.state, placement.worker, placement.leftMs)
    return entry
  }
}

/// Something that went wrong with a post's job, or that an operator did about it.
package struct PostEvent: Sendable, Equatable {
  /// What happened.
  package enum Kind: UInt8, Sendable {
    /// A worker's try failed; it is tried again.
    case failed = 1
    /// Its worker was lost.
    case lost = 2
    /// It left the queue as dead.
    case died = 3
    /// An operator brought it back, with fresh counts.
    case retried = 4
    /// An operator ended it.
    case dropped = 5

    /// The word for people and in JSON.
    package var word: String {
      switch self {
      case .failed: "failed"
      case .lost: "worker lost"
      case .died: "died"
      case .retried: "retried"
      case .dropped: "dropped"
      }
    }
  }

  package let kind: Kind
  /// Milliseconds since 1970, UTC.
  package let atMs: Int64
  /// Why, where somebody said so; else both empty.
  package let reason: Verdict.Reason

  package init(kind: Kind, atMs: Int64, reason: Verdict.Reason) {
    self.kind = kind
    self.atMs = atMs
    self.reason = reason
  }
}
