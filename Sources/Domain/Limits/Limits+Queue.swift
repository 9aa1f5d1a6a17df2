/// Limits of the queue: posts and lookups, leases, attempts and pauses.
extension Limits {
  /// Maximum number of posts that are accepted and not settled. Further posts get 503. A full backlog is ten seconds of
  /// work at 10,000 posts per second. It takes about 50 MB of memory, or 300 MB with the longest places and links.
  package static let queueDepthMax = 100_000
  /// Default maximum wait of the oldest post for a worker, in milliseconds. While a post waits longer, new posts get
  /// 503, because an accepted post should be published within this time.
  package static let queueWaitMaxMs: Int64 = 600_000
  /// Range of the setting for `queueWaitMaxMs`, in seconds.
  package static let queueWaitMaxSecondsRange = 1...604_800
  /// Range of the setting for posts and edits of an account per minute.
  package static let postsPerMinuteRange = 1...1_000_000
  /// Number of accounts with a rate in memory from which ingest forgets accounts with a full allowance. Each takes
  /// about 80 bytes.
  package static let postRatesSweptAt = 10_000
  /// Maximum number of lookups that wait for a worker. Each keeps an HTTP request open.
  package static let lookupsMax = 1_000
  /// Timeout of a lookup, in milliseconds. Its request then gets 503.
  package static let lookupTimeoutMs: Int64 = 5_000
  /// Maximum number of jobs with one worker. Further jobs would only wait there.
  package static let windowMax = 64
  /// Number of jobs that go to one worker together even if another worker is free. A second message costs more than
  /// sixteen lookups.
  package static let jobsTogether = 16
  /// Maximum number of starts of ingest on one database. A lease token has 24 bits for this number, above a counter of
  /// 40 bits.
  package static let generationMax: UInt32 = 1 << 24 - 1
  /// Number of failed attempts after which a job is dead.
  package static let attemptsMax = 8
  /// Number of lost workers after which a job is dead. The job may be the cause of their deaths.
  package static let leaseLossesMax = 3
  /// Number of a job's earlier leases whose tokens ingest remembers. The number covers 7 failed attempts, 2 losses, and
  /// 7 leases that were returned or undelivered. A success under an older lease is stale. For 100,000 jobs the tokens
  /// take at most 16 MB.
  package static let formerLeasesMax = 16
  /// Duration of a lease without a heartbeat that names it, in milliseconds.
  package static let leaseMs: Int64 = 30_000
  /// Age from which heartbeats do not extend a lease, in milliseconds. The worker may hang, and another worker could
  /// have finished the job long ago. A lookup at a remote provider waits for less.
  package static let leaseAgeMaxMs: Int64 = 300_000
  /// Number of consecutive heartbeats with the same progress after which a worker counts as stalled. The worker must
  /// have a lease older than `stalledLeaseMs`. Fifteen heartbeats take 30 s, several times as long as a remote
  /// provider's response.
  package static let stalledHeartbeats = 15
  /// Age of a lease from which `stalledHeartbeats` counts, in milliseconds. From this age, heartbeats of a stalled
  /// worker do not extend the lease.
  package static let stalledLeaseMs: Int64 = 30_000
  /// First range of the pause before a failed job is retried, in milliseconds. Each further range is twice as long,
  /// with full jitter.
  package static let backoffBaseMs: Int64 = 2_000
  /// Longest pause before a failed job is retried, in milliseconds.
  package static let backoffCapMs: Int64 = 900_000
  /// Shortest pause of a job that its worker has not started, in milliseconds. The job's count of attempts does not
  /// rise, so a backoff would not grow, and the job would never be dead.
  package static let notStartedPauseMs: Int64 = 5_000
}
