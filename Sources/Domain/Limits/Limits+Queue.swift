/// Limits of the queue: posts and lookups, leases, attempts and pauses.
extension Limits {
  /// Posts accepted and not yet settled. Above it posts are refused with 503: at 10,000 a second they are ten seconds'
  /// work, and about 50 MB of memory, 300 MB with the longest places and links.
  package static let queueDepthMax = 100_000
  /// When a post has waited for a worker for so long, further ones are refused with 503 until it goes out, for nobody
  /// should be promised what is not to be seen within that time. Where nothing else is set.
  package static let queueWaitMaxMs: Int64 = 600_000
  /// The least and the most seconds that may be set.
  package static let queueWaitMaxSecondsRange = 1...604_800
  /// The least and the most posts and edits of an account a minute that may be set.
  package static let postsPerMinuteRange = 1...1_000_000
  /// With posts of so many accounts in memory, each about 50 bytes, those are forgotten that may make all again.
  package static let postRatesSweptAt = 10_000
  /// Look-ups waiting for a worker; each holds an HTTP request open.
  package static let lookupsMax = 1_000
  /// How long a look-up may take before its request is answered 503.
  package static let lookupTimeoutMs: Int64 = 5_000
  /// A worker's unanswered jobs. More would only add waiting.
  package static let windowMax = 64
  /// So many jobs go to one worker together although another one is free: a second message costs more than the
  /// look-ups of sixteen.
  package static let jobsTogether = 16
  /// Starts of ingest on one database: what is left of a lease token's 64 bits above the counter.
  package static let bootMax: UInt32 = 1 << 24 - 1
  /// Failed tries of a job before it is dead.
  package static let attemptsMax = 8
  /// Workers lost over a job before it is dead: it may be what kills them.
  package static let leaseLossesMax = 3
  /// Earlier leases of a job whose tokens ingest remembers: 7 failed attempts, 2 losses, and 7 that were given back or
  /// never arrived. A success under an older one is stale. For 100,000 jobs they take 16 MB at most.
  package static let formerLeasesMax = 16
  /// A lease without a heartbeat that names it.
  package static let leaseMs: Int64 = 30_000
  /// A lease that heartbeats do not extend any more: its worker may hang, and others could have answered long ago. A
  /// look-up at a remote provider stands in line for less.
  package static let leaseAgeMaxMs: Int64 = 300_000
  /// Heartbeats running with the same progress, from a worker that holds a lease older than `stuckLeaseMs`: then its
  /// handler hangs. 30 s: several times as long as a remote provider may take for one answer.
  package static let stuckHeartbeats = 15
  /// See `stuckHeartbeats`; leases that are older are not extended while the worker hangs.
  package static let stuckLeaseMs: Int64 = 30_000
  /// First pause before a failed job is tried again; doubled each time, with full jitter.
  package static let backoffBaseMs: Int64 = 2_000
  /// Longest pause before a failed job is tried again.
  package static let backoffCapMs: Int64 = 900_000
  /// Shortest pause of a job that its worker has not even started on: that counts as no attempt, so no other pause
  /// would grow, and nothing ends it.
  package static let notStartedPauseMs: Int64 = 5_000
}
