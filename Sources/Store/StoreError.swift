import Domain

/// An error of the store. Each case is a cause that a caller treats differently. Its comment states whether to retry.
package enum StoreError: Error, CustomStringConvertible {
  /// Another process has the store open. Do not retry.
  case locked(path: String)
  /// The store cannot be used. Do not retry until the operator acts.
  case unusable(path: String, reason: String)
  /// The account is deleted. Do not retry.
  case noAccount
  /// The disk is full. Nothing was stored. Retry when there is space.
  case full
  /// The write failed, but may still be durable. Retry with the same idempotency key to learn the outcome.
  case unknownOutcome(String)
  /// The database cannot be reached. Nothing was stored by this call. Retry in a moment.
  case unavailable(String)
  /// The queue of scans is full: in total, for the client's network or for its block of addresses. The scan may also
  /// have waited too long. Retry in a moment.
  case tooManyScans
  /// A scan took too long, or its client has disconnected. Request less, or retry in a moment.
  case scanEnded
  /// The store failed in an earlier write, or is closing. Nothing was stored. Do not retry until the next start.
  case stopped(String)

  /// True for a full disk, which ingest logs once per minute instead of per write. See `StoreHealth.checkDisk`.
  package var isFull: Bool { if case .full = self { true } else { false } }

  /// True for causes that the store logs itself, once instead of for each request: a full disk or an unreachable
  /// database.
  package var isLoggedOnce: Bool {
    switch self {
    case .full, .unavailable: true
    default: false
    }
  }

  package var description: String {
    switch self {
    case .locked(let path):
      "\(path) is in use by another onthemap process; stop it, or pass another folder with --data"
    case .unusable(let path, let reason): "\(path) cannot be used: \(reason)"
    case .noAccount: "the account is deleted"
    case .full: "the disk is full; free some space, nothing else is needed"
    case .unavailable(let reason): "the database cannot be reached: \(reason)"
    case .tooManyScans: "too many long reads wait; try again in a moment"
    case .scanEnded: "a read took longer than \(Limits.scanMs / 1_000) s; request less, or try again in a moment"
    case .unknownOutcome(let reason): "the write failed: \(reason)"
    case .stopped(let reason): "nothing is stored until the next start: \(reason)"
    }
  }
}
