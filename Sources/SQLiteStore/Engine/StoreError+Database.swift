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
  /// True for a full disk. SQLite reports an I/O error if the log's index cannot grow, which counts too.
  var isFull: Bool { resultCode == .SQLITE_FULL || extendedResultCode == .SQLITE_IOERR_SHMSIZE }
}
