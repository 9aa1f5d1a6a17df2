import CZeroMQ
import Domain
import Logging

/// Keeps the memory of frames that peers do not read within a bound, on the reactor's thread.
///
/// libzmq 4.3.4 neither reports how much each peer of an XPUB leaves unread, nor ends the connection of one peer. Above
/// the bound all connections to the address end, and peers that read reconnect by themselves.
final class SendBufferLimit {
  let memory = FrameMemory()
  private let bytesMax: Int
  private let socket: Socket
  private let link: LinkName
  private let logger: Logger
  private var nextUnbindMs: Int64 = 0
  private var peakBytes = 0
  /// Time when this unbound the address; nil while it is bound. The authenticator logs its own unbinds.
  private var unboundMs: Int64?
  /// True if the log says that the address cannot be bound.
  private var isBlocked = false
  private var logLimiter = LogRateLimiter()

  /// - Parameters:
  ///   - bytesMax: bytes of frames that peers may leave unread, all together.
  ///   - socket: a bound socket whose shared frames `memory` counts.
  init(_ bytesMax: Int, at socket: Socket, _ link: LinkName, logger: Logger) {
    (self.bytesMax, self.socket, self.link, self.logger) = (bytesMax, socket, link, logger)
  }

  /// False while unread frames exceed the bound: large frames wait.
  var isWithinLimit: Bool { memory.bytes <= bytesMax }

  /// Ends all connections where too much is unread. Returns the time of its next turn, in milliseconds.
  func tick(nowMs: Int64) -> Int64 {
    guard socket.rebind() else {
      noteBlocked(LinkError.lastReason, nowMs: nowMs)
      return nowMs + Limits.rebindMs
    }
    noteBound()
    let bytes = memory.bytes
    peakBytes = max(peakBytes, bytes)
    if bytes > bytesMax, nowMs >= nextUnbindMs {
      logger.warning(
        "peers do not read: all connections end", metadata: ["link": "\(link)", "unread-bytes": "\(bytes)"])
      nextUnbindMs = nowMs + Limits.unreadFreedMs
      unboundMs = nowMs
      socket.unbind()
      return nowMs + Limits.rebindMs
    }
    if peakBytes - bytes >= Limits.memoryTrimBytes {
      peakBytes = bytes
      malloc_trim(0)
    }
    return .max
  }

  /// Logs an address that stays in use, once a minute.
  private func noteBlocked(_ reason: String, nowMs: Int64) {
    guard let unboundMs, nowMs - unboundMs > Limits.rebindOverdueMs, logLimiter.admit("", nowMs: nowMs) != nil else {
      return
    }
    isBlocked = true
    logger.error(
      "cannot bind the address again: no peer can connect", metadata: ["link": "\(link)", "reason": "\(reason)"])
  }

  private func noteBound() {
    unboundMs = nil
    guard isBlocked else { return }
    isBlocked = false
    logger.notice("address bound again: peers can connect", metadata: ["link": "\(link)"])
  }
}
