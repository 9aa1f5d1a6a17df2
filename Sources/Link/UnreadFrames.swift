import CZeroMQ
import Logging
import OnTheMap

/// Keeps the memory of frames that peers do not read within a bound, on the reactor's thread.
///
/// libzmq 4.3.4 neither tells which peer of an XPUB leaves how much unread, nor ends the connection of one peer. Above
/// the bound all connections to the address end, and those that read come back by themselves.
final class UnreadFrames {
  /// Freed memory, in bytes, for which the allocator is asked to give it back: asking takes milliseconds.
  private static let trimBytes = 33_554_432
  /// Time, in milliseconds, that libzmq has to free what ended connections held: twice a socket's linger.
  private static let restMs: Int64 = 1_000
  /// Pause, in milliseconds, between two tries to bind the address anew.
  private static let rebindMs: Int64 = 10

  let memory = FrameMemory()
  private let bytesMax: Int
  private let socket: Socket
  private let link: LinkName
  private let logger: Logger
  private var restedMs: Int64 = 0
  private var peakBytes = 0

  /// - Parameters:
  ///   - bytesMax: bytes of frames that peers may leave unread, all together.
  ///   - socket: bound; its shared frames are of `memory`.
  init(_ bytesMax: Int, at socket: Socket, _ link: LinkName, logger: Logger) {
    (self.bytesMax, self.socket, self.link, self.logger) = (bytesMax, socket, link, logger)
  }

  /// False while peers hold all that they may: whatever is large waits.
  var hasRoom: Bool { memory.bytes <= bytesMax }

  /// Ends all connections where too much is unread. Returns the time of its next turn, in milliseconds.
  func turn(nowMs: Int64) -> Int64 {
    guard socket.rebind() else { return nowMs + UnreadFrames.rebindMs }
    let bytes = memory.bytes
    peakBytes = max(peakBytes, bytes)
    if bytes > bytesMax, nowMs >= restedMs {
      logger.warning(
        "peers do not read: all connections end", metadata: ["link": "\(link)", "unread-bytes": "\(bytes)"])
      restedMs = nowMs + UnreadFrames.restMs
      socket.unbind()
      return nowMs + UnreadFrames.rebindMs
    }
    if peakBytes - bytes >= UnreadFrames.trimBytes {
      peakBytes = bytes
      malloc_trim(0)
    }
    return .max
  }
}
