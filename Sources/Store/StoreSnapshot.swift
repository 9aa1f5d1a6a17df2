package import Domain

/// State of a store at one moment, at the start of ingest.
package struct StoreSnapshot: Sendable {
  /// Number of this start of ingest, which makes lease tokens unique across restarts. Each start has a higher number,
  /// which is durable before a snapshot contains it.
  package let generation: UInt32
  /// Queued jobs, oldest first.
  package let jobs: [QueuedJob]
  /// The list, with its epoch and the sequence number of its latest change.
  package let list: FeedState
  /// Start of the operator's pause, in milliseconds since 1970, UTC. Nil if the queue is not paused.
  package let pausedMs: Int64?
  /// Closed accounts with posts or a name still to erase, by ascending account id.
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
