package import Domain

/// State of a store at one moment, at the start of ingest.
package struct StoreSnapshot: Sendable {
  /// Number of this start, which makes lease tokens unique over restarts. The number rises with each start, and is
  /// durable before a snapshot contains it.
  package let generation: UInt32
  /// Queued jobs, oldest first.
  package let jobs: [QueuedJob]
  /// The latest posts, with the sequence number of the latest change and its epoch.
  package let list: FeedState
  /// Start of the operator's pause, in milliseconds since 1970, UTC. Nil if the queue is not paused.
  package let pausedMs: Int64?
  /// Closed accounts whose posts are not all erased, in ascending order of number.
  package let closedAccounts: [AccountID]

  /// A job of the queue.
  package struct QueuedJob: Sendable {
    /// The job, without its `content`.
    package let job: Job
    /// Earliest time of the job's next lease, in milliseconds since 1970, UTC.
    package let dueMs: Int64

    package init(job: Job, dueMs: Int64) { (self.job, self.dueMs) = (job, dueMs) }
  }

  package init(
    generation: UInt32, jobs: [QueuedJob], list: FeedState, pausedMs: Int64?, closedAccounts: [AccountID]
  ) {
    self.generation = generation
    self.jobs = jobs
    self.list = list
    self.pausedMs = pausedMs
    self.closedAccounts = closedAccounts
  }
}
