import Foundation
import Synchronization

/// An open loop of requests at a fixed rate. Each request has its own connection, like requests from different
/// addresses. `URLSession` would keep a core busy while many requests wait.
final class RequestFlood: Sendable {
  private let state = Mutex((counts: [Int: Int](), hasEnded: false))
  private let port: Int
  private let perSecond: Int
  private let request: @Sendable (Int) -> String

  /// - Parameter request: Returns a whole request by its number. Its response must close the connection.
  init(_ http: String, perSecond: Int, request: @escaping @Sendable (Int) -> String) throws {
    guard let port = URL(string: http)?.port else { throw BenchError("\(http) is no address") }
    self.port = port
    self.perSecond = perSecond
    self.request = request
  }

  /// Sends requests while `body` runs.
  ///
  /// - Returns: The result of `body`, and the number of responses by status.
  func run<Value>(beside body: () async throws -> Value) async throws -> (value: Value, statuses: [Int: Int]) {
    let sending = Task { try await send() }
    defer { state.withLock { $0.hasEnded = true } }
    let value = try await body()
    state.withLock { $0.hasEnded = true }
    try await sending.value
    return (value, state.withLock(\.counts))
  }

  private func send() async throws {
    let clock = ContinuousClock()
    let start = clock.now
    var pending: [LoopbackSocket] = []
    for number in 0... {
      try await clock.sleep(until: start + .milliseconds(1_000 * number / perSecond))
      if state.withLock(\.hasEnded) { return }
      pending = try pending.filter { socket in
        guard let status = try RequestFlood.status(of: socket) else { return true }
        state.withLock { $0.counts[status, default: 0] += 1 }
        return false
      }
      let socket = try LoopbackSocket(port: port)
      try socket.write(Array(request(number).utf8))
      socket.makeNonBlocking()
      pending.append(socket)
    }
  }

  /// Returns the status of a response, or nil if it has not arrived.
  static func status(of socket: LoopbackSocket) throws -> Int? {
    try withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 16) { buffer in
      // "HTTP/1.1 403". The connection closes after the response, so the rest need not be read.
      try socket.read(into: buffer).map { _ in Int(String(decoding: buffer[9..<12], as: UTF8.self)) ?? 0 }
    }
  }

  /// Returns an address such as "10.1.2.3" for a number. Consecutive numbers rotate over 256 blocks of addresses.
  static func address(_ number: Int) -> String { "10.\(number & 255).\(number >> 8 & 255).\(number >> 16 & 255)" }
}
