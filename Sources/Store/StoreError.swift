import Domain

/// An error of the store. The cases are the causes that a caller treats differently. Each states whether to retry.
package enum StoreError: Error, CustomStringConvertible {
  /// Another process has the store open. Retries are futile.
  case locked(path: String)
  /// The store cannot be used. Retries are futile until the operator acts.
  case unusable(path: String, reason: String)
  /// The account is deleted. Retries are futile.
  case noAccount
  /// The disk is full. Nothing was stored. Retry when there is space.
  case full
  /// The write failed, but may still be durable. Retry with the same idempotency key to learn the outcome.
  case unknownOutcome(String)
  /// Too many scans wait, in total, of the client's network or of its block of addresses, or this one waited too long.
  /// Retry in a moment.
  case tooManyScans
  /// A scan took too long, or its client has disconnected. Request less, or retry in a moment.
  case scanEnded
  /// The store failed under an earlier write, or is closing. Nothing was stored, nor will be until the next start.
  case stopped(String)

  /// True for a full disk, which has its own line in the log, once per minute. See `StoreHealth.checkDisk`.
  package var isFull: Bool { if case .full = self { true } else { false } }

  package var description: String {
    switch self {
    case .locked(let path):
      "\(path) is in use by another onthemap process; stop it, or give this one a --data folder of its own"
    case .unusable(let path, let reason): "\(path) cannot be used: \(reason)"
    case .noAccount: "the account is deleted"
    case .full: "the disk is full; free some space, nothing else is needed"
    case .tooManyScans: "too many long reads wait; try again in a moment"
    case .scanEnded: "a read took longer than \(Limits.scanMs / 1_000) s; ask for less, or try again in a moment"
    case .unknownOutcome(let reason): "the write failed: \(reason)"
    case .stopped(let reason): "nothing is stored until the next start: \(reason)"
    }
  }
}
