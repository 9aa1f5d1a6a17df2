import GRDB
import Store

extension StoreError {
  init(_ error: any Error) {
    guard let error = error as? DatabaseError else {
      self = (error as? StoreError) ?? .unknownOutcome("\(error)")
      return
    }
    self = error.isFull ? .full : .unknownOutcome(error.description)
  }
}

extension DatabaseError {
  /// True for a full disk. SQLite reports a full disk as an I/O error if the WAL's index cannot grow.
  var isFull: Bool { resultCode == .SQLITE_FULL || extendedResultCode == .SQLITE_IOERR_SHMSIZE }
}
