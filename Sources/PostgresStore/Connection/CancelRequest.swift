import CPostgreSQL
import Dispatch

/// A request to cancel the statement in progress on a connection. The request has its own copy of the server's address,
/// so the connection may be closed meanwhile. Any thread.
final class CancelRequest: @unchecked Sendable {
  /// Nil if libpq has no memory.
  private let request: OpaquePointer?

  init(_ connection: OpaquePointer) { request = PQgetCancel(connection) }

  deinit { PQfreeCancel(request) }

  /// Sends the request on a thread of its own, because a server that hangs keeps libpq waiting. Errors are ignored: the
  /// server then ends the statement at its timeout.
  func send() {
    DispatchQueue.global().async { [self] in
      var message = [CChar](repeating: 0, count: 256)
      _ = PQcancel(request, &message, Int32(message.count))
    }
  }
}
