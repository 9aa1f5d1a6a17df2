/// Limits of the queue: posts and lookups, leases, attempts and pauses.
extension Limits {
  /// Posts accepted and not yet settled. Above it posts are refused with 503. At 10,000 a second they are ten seconds'
  /// work; they take about 50 MB of memory, 300 MB with the longest places and links.
  package static let queueDepthMax = 100_000
  /// Wait of the oldest post for a worker, in milliseconds, above which further posts are refused with 503: a post that
  /// is accepted should be published within this time. The default.
  package static let queueWaitMaxMs: Int64 = 600_000
  /// Range of the setting for `queueWaitMaxMs`, in seconds.
  package static let queueWaitMaxSecondsRange = 1...604_800
  /// Range of the setting for posts and edits of an account in a minute.
  package static let postsPerMinuteRange = 1...1_000_000
  /// Accounts whose rates are in memory, each about 80 bytes, above which full allowances are forgotten.
  package static let postRatesSweptAt = 10_000
  /// Lookups that wait for a worker; each keeps an HTTP request open.
  package static let lookupsMax = 1_000
  /// Timeout of a lookup; then its request is answered 503.
  package static let lookupTimeoutMs: Int64 = 5_000
  /// Jobs that one worker has not answered. More would only wait there.
  package static let windowMax = 64
  /// Jobs that go to one worker together although another one is free: a second message costs more than sixteen
  /// lookups.
  package static let jobsTogether = 16
  /// Starts of ingest on one database: what is left of a lease token's 64 bits above the counter.
  package static let generationMax: UInt32 = 1 << 24 - 1
  /// Failed attempts of a job before it is dead.
  package static let attemptsMax = 8
  /// Workers lost over a job before it is dead: the job may be what kills them.
  package static let leaseLossesMax = 3
  /// Earlier leases of a job whose tokens ingest remembers: 7 failed attempts, 2 losses, and 7 that were given back or
  /// never arrived. A success under an older one is stale. For 100,000 jobs they take 16 MB at most.
  package static let formerLeasesMax = 16
  /// Duration of a lease without a heartbeat that names it.
  package static let leaseMs: Int64 = 30_000
  /// Age of a lease from which heartbeats do not extend it: its worker may hang, and another could have answered long
  /// ago. A lookup at a remote provider waits for less.
  package static let leaseAgeMaxMs: Int64 = 300_000
  /// Heartbeats in a row with the same progress, of a worker with a lease older than `stuckLeaseMs`, after which its
  /// handler counts as stuck. 30 s: several times as long as a remote provider may take for one answer.
  package static let stuckHeartbeats = 15
  /// Age of a lease from which `stuckHeartbeats` counts, and from which heartbeats of a stuck worker do not extend it.
  package static let stuckLeaseMs: Int64 = 30_000
  /// First pause before a failed job is tried again; doubled each time, with full jitter.
  package static let backoffBaseMs: Int64 = 2_000
  /// Longest pause before a failed job is tried again.
  package static let backoffCapMs: Int64 = 900_000
  /// Shortest pause of a job that its worker has not started: that counts as no attempt, so no other pause would grow,
  /// and the job would never be dead.
  package static let notStartedPauseMs: Int64 = 5_000
}
