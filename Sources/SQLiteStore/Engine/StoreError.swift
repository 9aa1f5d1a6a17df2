import Domain
import GRDB

/// What the store throws. The cases are the causes that a caller treats differently.
package enum StoreError: Error, CustomStringConvertible {
  /// Another process has the database open. Final.
  case locked(path: String)
  /// The folder or the file cannot be used. Final until the operator acts.
  case unusable(path: String, reason: String)
  /// The account is deleted. Final.
  case noAccount
  /// The disk is full. Nothing was stored; try again when there is room.
  case full
  /// The write failed, and whether it is on disk is not known. Ask for the outcome under the same idempotency key.
  case unknownOutcome(String)
  /// Too many scans wait, in all, of the client's network or of its block of addresses, or this one waited too long.
  /// Try again in a moment.
  case tooManyScans
  /// A scan took too long, or its client has gone. Ask for less, or try again in a moment.
  case scanEnded
  /// The disk has failed under an earlier write, or ingest is ending. Nothing was stored, nor will be until the next
  /// start.
  case stopped(String)

  /// True for a full disk, which has its own line in the log, once a minute: see `IngestDatabase.lookAtDisk`.
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

  init(_ error: any Error) {
    guard let error = error as? DatabaseError else {
      self = (error as? StoreError) ?? .unknownOutcome("\(error)")
      return
    }
    self = error.isFull ? .full : .unknownOutcome(error.description)
  }
}

extension DatabaseError {
  /// Whether there is no room: also for what SQLite calls an I/O error, a log's index that cannot grow.
  var isFull: Bool { resultCode == .SQLITE_FULL || extendedResultCode == .SQLITE_IOERR_SHMSIZE }
}
