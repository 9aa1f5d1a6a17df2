import Domain
import Metrics
import Synchronization
import Telemetry

/// Budget for the parts of responses that a service keeps in memory because their clients do not read. Above the
/// budget, the connections with the most unread bytes close, as the slowest readers do after `Limits.httpUnreadMs`. Any
/// thread.
final class UnreadResponses: Sendable {
  private struct Reader {
    let bytes: Int
    let close: @Sendable () -> Void
  }

  private struct Readers {
    var byConnection: [ObjectIdentifier: Reader] = [:]
    var bytes = 0

    mutating func remove(_ connection: ObjectIdentifier) -> Reader? {
      guard let reader = byConnection.removeValue(forKey: connection) else { return nil }
      bytes -= reader.bytes
      return reader
    }
  }

  private let readers = Mutex(Readers())
  private let bytesMax: Int
  private let closed = Metric.httpUnreadClosed.counter()

  init(bytesMax: Int = Limits.httpUnreadBytesMax) { self.bytesMax = bytesMax }

  /// Counts the unread bytes of a connection until `end`. Closes connections if there are too many.
  ///
  /// - Parameter close: Closes the connection. It must not block.
  func begin(_ connection: ObjectIdentifier, bytes: Int, close: @escaping @Sendable () -> Void) {
    let surplus = readers.withLock { readers in
      var surplus: [Reader] = []
      _ = readers.remove(connection)
      readers.byConnection[connection] = Reader(bytes: bytes, close: close)
      readers.bytes += bytes
      while readers.bytes > bytesMax, let most = readers.byConnection.max(by: { $0.value.bytes < $1.value.bytes }),
        let reader = readers.remove(most.key)
      {
        surplus.append(reader)
      }
      return surplus
    }
    for reader in surplus {
      closed.increment()
      reader.close()
    }
  }

  /// Ends the count of a connection. Does nothing for one that is not counted.
  func end(_ connection: ObjectIdentifier) { readers.withLock { _ = $0.remove(connection) } }
}
