import Testing

/// A plausible bug, injected to prove that the simulation finds it.
enum InjectedBug: String, CaseIterable, CustomTestStringConvertible {
  /// Ingest acknowledges a result on arrival instead of after its commit.
  case acknowledgesBeforeCommit
  /// Ingest sends a client the response before the commit of its post.
  case respondsBeforeCommit
  /// Ingest counts a failure under an earlier lease.
  case acceptsLateFailures
  /// A worker never resends a result.
  case forgetsOutbox
  /// Lease tokens restart with each start of ingest.
  case restartsTokens
  /// Ingest looks up an idempotency key before the transaction that stores the post.
  case looksUpKeysBeforeTransaction
  /// A change gets its sequence number and goes to the feeds before its commit.
  case publishesBeforeCommit
  /// Ingest does not count lost leases.
  case forgetsLosses
  /// Ingest does not requeue the jobs of a lost worker.
  case dropsLostJobs
  /// A restart ends the pause of the queue.
  case forgetsPause
  /// Ingest ignores the progress in heartbeats, so a stalled worker counts as busy.
  case forgetsProgress
  /// Ingest counts failed attempts on disk, but not in memory.
  case forgetsAttempts
  /// After a start the list has the sequence number of its newest post, although a deletion came later.
  case forgetsDeletions
  /// A gateway forgets its requests when it loses the connection to ingest.
  case forgetsHeldRequests
  /// A gateway repeats a request under a new idempotency key.
  case repeatsUnderNewKey
  /// A gateway forgets its requests when it ends the waits of a graceful stop.
  case forgetsRequestsAtStop
  /// Feeds get a removal without the entry that refills the list.
  case forgetsBackfill

  /// A worker stays at its address when ingest starts at the other one.
  case staysAtAddress

  var testDescription: String { rawValue }
}
