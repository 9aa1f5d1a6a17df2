import Testing

/// A mistake that somebody might really make. Each must be found, or the simulation shows nothing.
enum InjectedBug: String, CaseIterable, CustomTestStringConvertible {
  /// A worker is told COMMITTED when its result has come, not when it is on disk.
  case acknowledgesBeforeCommit
  /// A client is told that its post is accepted before it is on disk.
  case answersBeforeCommit
  /// A failure under a lease that is not the job's any more counts.
  case takesLateFailures
  /// A worker sends each result once.
  case forgetsOutbox
  /// Lease tokens begin anew with each start of ingest.
  case startsTokensAnew
  /// Whether a key has been used is looked up when the request comes, not in the transaction that stores the post.
  case looksKeysUpOutside
  /// A change goes to the feeds with its number before it is on disk.
  case numbersBeforeCommit
  /// Lost workers are not counted.
  case forgetsLosses
  /// A job whose worker is lost is not handed out again.
  case dropsLostJobs
  /// A restart ends the pause of the queue.
  case forgetsPause
  /// A worker whose heart beats is taken to work.
  case forgetsProgress
  /// Failed tries are counted in memory only.
  case forgetsAttempts
  /// The list after a start stands at the number of its newest post, though a later one was deleted.
  case forgetsDeletions
  /// Feeds hear of a deletion, and not of what comes onto the list for it.
  case forgetsFollower

  var testDescription: String { rawValue }
}
