import Domain
import Metrics
import Synchronization
import Telemetry

/// Budget for the parts of responses that a service keeps in memory because their clients do not read. Above the
/// budget, the connections that have not read for the longest time close, as every connection does after
/// `Limits.httpUnreadMs`. Clients that do not read therefore cannot end the responses of clients that do. Any thread.
final class UnreadResponses: Sendable {
  private struct Reader {
    /// Rises with each count, so the lowest number has not read for the longest time.
    let number: UInt64
    let bytes: Int
    let close: @Sendable () -> Void
  }

  private struct Readers {
    var byConnection: [ObjectIdentifier: Reader] = [:]
    var bytes = 0
    var lastNumber: UInt64 = 0

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
      readers.lastNumber += 1
      readers.byConnection[connection] = Reader(number: readers.lastNumber, bytes: bytes, close: close)
      readers.bytes += bytes
      while readers.bytes > bytesMax,
        let slowest = readers.byConnection.min(by: { $0.value.number < $1.value.number }),
        let reader = readers.remove(slowest.key)
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
