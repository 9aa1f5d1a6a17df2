import NIOCore
import Synchronization

/// Closes the channels of requests that are not answered in their time. One for all connections: a timer for each
/// request would cost more than the request.
final class RequestTimeouts: Sendable {
  private struct Wait {
    let channel: any Channel
    let untilNs: Int64
  }

  private let waits: Mutex<[Wait?]>

  init(connections: Int) { waits = Mutex(Array(repeating: nil, count: connections)) }

  /// A request begins on a connection, by number.
  func begin(_ connection: Int, _ channel: any Channel, untilNs: Int64) {
    let wait = Wait(channel: channel, untilNs: untilNs)
    waits.withLock { $0[connection] = wait }
  }

  /// It was answered, or failed.
  func end(_ connection: Int) { waits.withLock { $0[connection] = nil } }

  /// To be called a few times a second.
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
