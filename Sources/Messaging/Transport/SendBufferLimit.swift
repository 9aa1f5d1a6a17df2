import CZeroMQ
import Domain
import Logging

/// Limit for the memory of frames that peers do not read. Reactor's thread only.
///
/// libzmq 4.3.4 cannot report the unread bytes of each peer of an XPUB, and cannot end the connection of one peer.
/// Above the limit, all connections to the address end. Peers that read reconnect by themselves.
final class SendBufferLimit {
  let memory = FrameMemory()
  private let bytesMax: Int
  private let socket: Socket
  private let link: LinkName
  private let logger: Logger
  private var nextUnbindMs: Int64 = 0
  private var peakBytes = 0
  /// Time when this limit unbound the address, in milliseconds. Nil while it is bound. The authenticator logs its own
  /// unbinds.
  private var unboundMs: Int64?
  /// True if the log says that the address cannot be bound.
  private var isBlocked = false
  private var logLimiter = LogRateLimiter()

  /// Creates the limit of a socket.
  ///
  /// - Parameters:
  ///   - bytesMax: Maximum bytes of unread frames, for all peers together.
  ///   - socket: Bound socket whose shared frames `memory` counts.
  init(_ bytesMax: Int, at socket: Socket, _ link: LinkName, logger: Logger) {
    (self.bytesMax, self.socket, self.link, self.logger) = (bytesMax, socket, link, logger)
  }

  /// False while unread frames exceed the limit. Large frames then wait.
  var isWithinLimit: Bool { memory.bytes <= bytesMax }

  /// Ends all connections if unread frames exceed the limit. Returns the time of its next tick, in milliseconds.
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
        "unread limit exceeded: disconnected all peers",
        metadata: ["link": "\(link)", "unread_bytes": "\(bytes)"])
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

  /// Logs an address that stays in use, at most once a minute.
  private func noteBlocked(_ error: String, nowMs: Int64) {
    guard let unboundMs, nowMs - unboundMs > Limits.rebindOverdueMs, logLimiter.admit("", nowMs: nowMs) != nil else {
      return
    }
    isBlocked = true
    logger.error("rebind failed: no peer can connect", metadata: ["link": "\(link)", "error": "\(error)"])
  }

  private func noteBound() {
    unboundMs = nil
    guard isBlocked else { return }
    isBlocked = false
    logger.notice("rebind succeeded: peers can connect", metadata: ["link": "\(link)"])
  }
}
