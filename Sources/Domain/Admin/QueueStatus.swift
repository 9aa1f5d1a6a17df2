/// Contents of `JobScheduler` at one moment.
package struct QueueSnapshot: Sendable, Equatable {
  /// A worker's session.
  package struct Worker: Sendable, Equatable {
    /// Number of the session.
    package var session: UInt64
    package var name: String
    /// Credit for further jobs, 0 … `Limits.windowMax`.
    package var credit: Int
    /// Number of jobs leased to the worker, 0 … `Limits.windowMax`.
    package var leases: Int
    /// Number of jobs sent since Welcome.
    package var jobsSent: UInt64
    /// Number and rate of the worker's results since Welcome.
    package var results: RateMeter.Reading
    /// Number of failures among the worker's results.
    package var failed: UInt64
    /// Time since the worker's last message, in milliseconds.
    package var lastSeenAgoMs: Int64
    /// True if the worker has a remote provider.
    package var isRemote: Bool

    package init(
      session: UInt64, name: String, credit: Int, leases: Int, jobsSent: UInt64, results: RateMeter.Reading,
      failed: UInt64, lastSeenAgoMs: Int64, isRemote: Bool
    ) {
      self.session = session
      self.name = name
      self.credit = credit
      self.leases = leases
      self.jobsSent = jobsSent
      self.results = results
      self.failed = failed
      self.lastSeenAgoMs = lastSeenAgoMs
      self.isRemote = isRemote
    }
  }

  /// Number of ready posts. Lookups count only in `lookups`.
  package var ready = 0
  /// Number of posts that are leased to a worker.
  package var leased = 0
  /// Number of posts whose result is being written to disk.
  package var committing = 0
  /// Number of posts that failed and wait for their backoff to end.
  package var delayed = 0
  /// Number of posts that wait for a remote permit.
  package var waitingRemote = 0
  /// Longest wait of a ready post, in milliseconds. 0 if none waits or the queue is paused.
  package var longestWaitMs: Int64 = 0
  /// Number of lookups in every state.
  package var lookups = 0
  /// Workers in the order in which their sessions began.
  package var workers: [Worker] = []

  package init() {}

  /// Number of posts in the queue.
  package var depth: Int { ready + leased + committing + delayed + waitingRemote }
}

/// An operator's complete view of the queue.
package struct QueueStatus: Sendable, Equatable {
  /// Number of dead posts with one reason.
  package struct DeadCount: Sendable, Equatable {
    /// Code of the reason.
    package var reason: String
    /// Number of posts, 1 or more.
    package var count: Int

    package init(reason: String, count: Int) {
      self.reason = reason
      self.count = count
    }
  }

  /// A feed that pulls changes.
  package struct Feed: Sendable, Equatable {
    package var name: String
    /// Sequence number of the feed's list.
    package var seq: UInt64
    /// Time since the feed's last request, in milliseconds.
    package var lastSeenAgoMs: Int64
    /// Number of subscribers' connections to the feed, including event streams. Nil if the feed does not report it.
    package var subscribers: Int?

    package init(name: String, seq: UInt64, lastSeenAgoMs: Int64, subscribers: Int? = nil) {
      self.name = name
      self.seq = seq
      self.lastSeenAgoMs = lastSeenAgoMs
      self.subscribers = subscribers
    }
  }

  /// Durations of the latest commits, at most `Limits.commitTimesKept`.
  package struct Commits: Sendable, Equatable {
    /// Number of commits since ingest started.
    package var count: UInt64
    /// Median duration, in microseconds.
    package var p50Us: Int64
    /// 99th percentile of the durations, in microseconds.
    package var p99Us: Int64

    package init(count: UInt64 = 0, p50Us: Int64 = 0, p99Us: Int64 = 0) {
      self.count = count
      self.p50Us = p50Us
      self.p99Us = p99Us
    }
  }

  /// Contents of `JobScheduler`.
  package var queue = QueueSnapshot()
  /// Maximum number of posts that are accepted and not settled.
  package var depthMax = Limits.queueDepthMax
  /// Maximum wait of a ready post, in milliseconds. Ingest refuses new posts while a post waits longer.
  package var waitMaxMs = Limits.queueWaitMaxMs
  /// Number of dead posts of all reasons.
  package var dead = 0
  /// Dead posts by reason, most frequent first, at most `Limits.deadReasonsMax`.
  package var deadByReason: [DeadCount] = []
  /// Time of acceptance of the oldest queued post, in milliseconds since 1970, UTC. Nil if the queue is empty.
  package var oldestMs: Int64?
  /// Time at which the queue was paused, in milliseconds since 1970, UTC. Nil if the queue is running.
  package var pausedMs: Int64?
  /// Time since ingest started, in milliseconds.
  package var uptimeMs: Int64 = 0
  /// Number and rate of accepted posts.
  package var accepted = RateMeter.Reading()
  /// Number and rate of posts that left the queue.
  package var completed = RateMeter.Reading()
  /// Number and rate of failed attempts.
  package var failed = RateMeter.Reading()
  /// Durations of commits.
  package var commits = Commits()
  /// Disk space for the database.
  package var disk = DiskStatus()
  /// Feeds that sent a request within the last `Limits.livenessMs`, sorted by name.
  package var feeds: [Feed] = []

  package init() {}
}
