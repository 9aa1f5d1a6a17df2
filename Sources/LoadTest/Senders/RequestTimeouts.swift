import NIOCore
import Synchronization

/// The timeouts of the requests of all connections. They close the channel of a request without a timely response. A
/// timer for each request would cost more than the request.
final class RequestTimeouts: Sendable {
  private struct Wait {
    let channel: any Channel
    let untilNs: Int64
  }

  private let waits: Mutex<[Wait?]>

  init(connections: Int) { waits = Mutex(Array(repeating: nil, count: connections)) }

  /// Starts the timeout of a request on a connection, given by its number.
  func begin(_ connection: Int, _ channel: any Channel, untilNs: Int64) {
    let wait = Wait(channel: channel, untilNs: untilNs)
    waits.withLock { $0[connection] = wait }
  }

  /// Ends the timeout of a request, after its response or failure.
  func end(_ connection: Int) { waits.withLock { $0[connection] = nil } }

  /// Closes the channels of expired requests. Call this every 200 ms or so.
  func expire(nowNs: Int64) {
    let expired = waits.withLock { waits in
      waits.indices.compactMap { index -> (any Channel)? in
        guard let wait = waits[index], nowNs >= wait.untilNs else { return nil }
        waits[index] = nil
        return wait.channel
      }
    }
    for channel in expired { channel.close(promise: nil) }
  }
}
