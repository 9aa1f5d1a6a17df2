/// Contents of `JobScheduler` at a moment.
package struct QueueSnapshot: Sendable, Equatable {
  /// A worker's session.
  package struct Worker: Sendable, Equatable {
    /// Its number.
    package var session: UInt64
    package var name: String
    /// Jobs that may be sent now, 0 … `Limits.windowMax`.
    package var credit: Int
    /// Jobs that are with it, 0 … `Limits.windowMax`.
    package var leases: Int
    /// Since Welcome.
    package var jobsSent: UInt64
    /// Its results since Welcome.
    package var answered: RateMeter.Reading
    /// Failures among its results.
    package var failed: UInt64
    /// Since its last message.
    package var heardAgoMs: Int64
    /// Whether it has a remote provider.
    package var isRemote: Bool

    package init(
      session: UInt64, name: String, credit: Int, leases: Int, jobsSent: UInt64, answered: RateMeter.Reading,
      failed: UInt64, heardAgoMs: Int64, isRemote: Bool
    ) {
      self.session = session
      self.name = name
      self.credit = credit
      self.leases = leases
      self.jobsSent = jobsSent
      self.answered = answered
      self.failed = failed
      self.heardAgoMs = heardAgoMs
      self.isRemote = isRemote
    }
  }

  /// Posts by state, lookups not among them.
  package var ready = 0
  /// Posts with a worker.
  package var leased = 0
  /// Posts whose result is on its way to the disk.
  package var settling = 0
  /// Posts that failed, and go out again at their time.
  package var delayed = 0
  /// Posts that wait for leave to ask a remote provider.
  package var waiting = 0
  /// How long the ready post has waited for a worker that has done so longest; 0 while the queue is paused.
  package var longestWaitMs: Int64 = 0
  /// Lookups, in whatever state.
  package var lookups = 0
  /// By session, so by the time at which they joined.
  package var workers: [Worker] = []

  package init() {}

  /// Posts of the queue.
  package var depth: Int { ready + leased + settling + delayed + waiting }
}

/// All that an operator sees of the queue at once.
package struct QueueStatus: Sendable, Equatable {
  /// Dead posts with one reason.
  package struct DeadCount: Sendable, Equatable {
    /// The reason's code.
    package var reason: String
    /// 1 or more.
    package var count: Int

    package init(reason: String, count: Int) {
      self.reason = reason
      self.count = count
    }
  }

  /// A feed that pulls changes.
  package struct Feed: Sendable, Equatable {
    package var name: String
    /// What it has.
    package var seq: UInt64
    /// Since its last request.
    package var heardAgoMs: Int64
    /// Connections of subscribers, SSE streams among them; nil where it does not tell.
    package var subscribers: Int?

    package init(name: String, seq: UInt64, heardAgoMs: Int64, subscribers: Int? = nil) {
      self.name = name
      self.seq = seq
      self.heardAgoMs = heardAgoMs
      self.subscribers = subscribers
    }
  }

  /// How long the latest commits took, `Limits.commitTimesKept` at most.
  package struct Commits: Sendable, Equatable {
    /// Since the start.
    package var count: UInt64
    /// Microseconds.
    package var p50Us: Int64
    /// Microseconds.
    package var p99Us: Int64

    package init(count: UInt64 = 0, p50Us: Int64 = 0, p99Us: Int64 = 0) {
      self.count = count
      self.p50Us = p50Us
      self.p99Us = p99Us
    }
  }

  /// Contents of `JobScheduler`.
  package var queue = QueueSnapshot()
  /// Posts accepted and not settled, at most.
  package var depthMax = Limits.queueDepthMax
  /// When a post has waited for a worker for so long, no more are taken.
  package var waitMaxMs = Limits.queueWaitMaxMs
  /// Of all reasons.
  package var dead = 0
  /// Most frequent first, `Limits.deadReasonsMax` at most.
  package var deadByReason: [DeadCount] = []
  /// When the oldest post of the queue was accepted, ms since 1970, UTC; nil when it is empty.
  package var oldestMs: Int64?
  /// Since when nothing goes out, ms since 1970, UTC; nil when it does.
  package var pausedMs: Int64?
  /// Since ingest has started.
  package var upMs: Int64 = 0
  /// Posts taken in.
  package var accepted = RateMeter.Reading()
  /// Posts that left the queue.
  package var settled = RateMeter.Reading()
  /// Tries that failed.
  package var failed = RateMeter.Reading()
  /// How long the disk takes.
  package var commits = Commits()
  /// Disk space for the database.
  package var disk = DiskStatus()
  /// Those that asked within `Limits.livenessMs`, by their names.
  package var feeds: [Feed] = []

  package init() {}
}
