import Foundation
import Glibc
import Synchronization

/// A TCP relay between two roles that can hold bytes back or reset all connections. Runs on its own thread.
final class Relay: Sendable {
  /// The relay's treatment of bytes and connections.
  enum Mode: Sendable {
    case pass
    /// Connections stay open, and no bytes pass: a partition or black hole.
    case hold
    /// Holds the bytes from the listening side (`holdReplies`), or to the listening side (`holdRequests`).
    case holdReplies, holdRequests
    /// Resets existing connections and every new one.
    case reset
  }

  private struct State: Sendable {
    var mode = Mode.pass
    var isEnding = false
    var resets = 0
    var passed = 0
    var heldMost = 0
  }

  private final class Pair {
    let client: Int32
    let server: Int32
    init(_ client: Int32, _ server: Int32) { (self.client, self.server) = (client, server) }
  }

  /// The port to connect to.
  let port: UInt16
  private let target: UInt16
  private let listener: Int32
  private let state = Mutex(State())

  /// - Parameter target: A port of this host.
  init(to target: UInt16) throws {
    self.target = target
    port = try Port.free()
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
    var yes: Int32 = 1
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    guard withLoopback(port, { bind(listener, $0, $1) }) == 0, listen(listener, 64) == 0 else {
      throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EADDRINUSE)
    }
    Thread.detachNewThread { [self] in run() }
  }

  var mode: Mode {
    get { state.withLock { $0.mode } }
    set { state.withLock { $0.mode = newValue } }
  }

  /// The number of reset connections, the number of passed bytes, and the most bytes that were held back together.
  var counts: (resets: Int, passed: Int, heldMost: Int) {
    state.withLock { ($0.resets, $0.passed, $0.heldMost) }
  }

  /// Ends the relay and its thread.
  func end() { state.withLock { $0.isEnding = true } }

  private func run() {
    var pairs: [Pair] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let (mode, isEnding) = state.withLock { ($0.mode, $0.isEnding) }
      if isEnding { break }
      var polled = [pollfd(fd: listener, events: Int16(POLLIN), revents: 0)]
      for pair in pairs {
        polled.append(pollfd(fd: pair.client, events: passesRequests(mode) ? Int16(POLLIN) : 0, revents: 0))
        polled.append(pollfd(fd: pair.server, events: passesReplies(mode) ? Int16(POLLIN) : 0, revents: 0))
      }
      // A short timeout, so that a new mode takes effect soon.
      poll(&polled, nfds_t(polled.count), 10)
      if polled[0].revents != 0, let pair = accept() { pairs.append(pair) }
      if mode == .reset {
        for pair in pairs { reset(pair) }
        state.withLock { $0.resets += pairs.count }
        pairs = []
        continue
      }
      note(held: pairs, mode)
      pairs = zip(pairs, 0...).filter { pair, index in
        guard 2 + 2 * index < polled.count else { return true }
        let isWhole =
          pass(polled[1 + 2 * index], to: pair.server, &buffer) && pass(polled[2 + 2 * index], to: pair.client, &buffer)
        if !isWhole { reset(pair) }
        return isWhole
      }.map(\.0)
    }
    for pair in pairs { reset(pair) }
    close(listener)
  }

  private func passesRequests(_ mode: Mode) -> Bool { mode == .pass || mode == .holdReplies }
  private func passesReplies(_ mode: Mode) -> Bool { mode == .pass || mode == .holdRequests }

  private func accept() -> Pair? {
    let client = Glibc.accept(listener, nil, nil)
    guard client >= 0 else { return nil }
    let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
    guard withLoopback(target, { connect(server, $0, $1) }) == 0 else {
      reset(Pair(client, server))
      return nil
    }
    return Pair(client, server)
  }

  /// Resets both connections, so that no buffered bytes are sent.
  private func reset(_ pair: Pair) {
    for descriptor in [pair.client, pair.server] {
      var linger = linger(l_onoff: 1, l_linger: 0)
      setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
      close(descriptor)
    }
  }

  /// Forwards available bytes. Returns false if one side has disconnected.
  private func pass(_ polled: pollfd, to other: Int32, _ buffer: inout [UInt8]) -> Bool {
    if polled.revents & Int16(POLLERR | POLLNVAL) != 0 { return false }
    guard polled.revents & Int16(POLLIN) != 0 else { return polled.revents & Int16(POLLHUP) == 0 }
    let count = recv(polled.fd, &buffer, buffer.count, Int32(MSG_DONTWAIT))
    guard count > 0 else { return count < 0 && errno == EAGAIN }
    var sent = 0
    while sent < count {
      let more = buffer.withUnsafeBytes { send(other, $0.baseAddress! + sent, count - sent, Int32(MSG_NOSIGNAL)) }
      guard more > 0 else { return false }
      sent += more
    }
    state.withLock { $0.passed += count }
    return true
  }

  private func note(held pairs: [Pair], _ mode: Mode) {
    guard mode != .pass else { return }
    var held = 0
    for pair in pairs {
      for (descriptor, isHeld) in [(pair.client, !passesRequests(mode)), (pair.server, !passesReplies(mode))] {
        var waiting: Int32 = 0
        if isHeld, ioctl(descriptor, UInt(FIONREAD), &waiting) == 0 { held += Int(waiting) }
      }
    }
    state.withLock { $0.heldMost = max($0.heldMost, held) }
  }
}
