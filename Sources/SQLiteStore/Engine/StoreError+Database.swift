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
  /// Whether there is no room: also for what SQLite calls an I/O error, a log's index that cannot grow.
  var isFull: Bool { resultCode == .SQLITE_FULL || extendedResultCode == .SQLITE_IOERR_SHMSIZE }
}
