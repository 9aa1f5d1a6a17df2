import Testing

/// A plausible bug, injected to prove that the simulation finds it.
enum InjectedBug: String, CaseIterable, CustomTestStringConvertible {
  /// Ingest acknowledges a result on arrival instead of after its commit.
  case acknowledgesBeforeCommit
  /// Ingest answers a client before the commit of its post.
  case answersBeforeCommit
  /// A failure under a former lease counts.
  case takesLateFailures
  /// A worker never resends a result.
  case forgetsOutbox
  /// Lease tokens start again with each start of ingest.
  case startsTokensAnew
  /// Ingest looks up an idempotency key before the transaction that stores the post.
  case looksKeysUpOutside
  /// A change gets its sequence number and goes to the feeds before its commit.
  case numbersBeforeCommit
  /// Lost leases are not counted.
  case forgetsLosses
  /// A job of a lost worker is not requeued.
  case dropsLostJobs
  /// A restart ends the pause of the queue.
  case forgetsPause
  /// Ingest ignores the progress in heartbeats, so a stuck worker counts as busy.
  case forgetsProgress
  /// Failed attempts are counted on disk, but not in memory.
  case forgetsAttempts
  /// After a start the list has the sequence number of its newest post, although a deletion came later.
  case forgetsDeletions
  /// Feeds get a removal without the entry that refills the list.
  case forgetsFollower

  var testDescription: String { rawValue }
}
