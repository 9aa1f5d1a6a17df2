package import Domain

/// State of a store at the start of ingest, as of one moment.
package struct StoreSnapshot: Sendable {
  /// Number of this start. It rises with each start, is durable before a snapshot names it, and makes lease tokens
  /// unique over restarts.
  package let generation: UInt32
  /// Queued jobs, the oldest first.
  package let jobs: [QueuedJob]
  /// The latest posts, with the sequence number of the latest change and its epoch.
  package let list: FeedState
  /// Start of the operator's pause, in ms since 1970, UTC. Nil if the queue is not paused.
  package let pausedMs: Int64?
  /// Closed accounts with posts that are to be erased, by rising number.
  package let closedAccounts: [AccountID]

  /// A job of the queue.
  package struct QueuedJob: Sendable {
    /// The job, without its draft.
    package let job: Job
    /// The job is not leased before, in ms since 1970, UTC.
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
