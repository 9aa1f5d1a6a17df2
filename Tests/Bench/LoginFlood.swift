import Foundation
import Synchronization

/// Logins with wrong passwords at a fixed rate, each for another account and from another address, beside posts of
/// somebody who is signed in.
struct LoginFlood {
  static let perSecond = 200
  private static let postsPerSecond = 500

  let folder: URL
  let seconds: Int

  func measure(into table: inout Table) async throws {
    let deployment = try Deployment(folder: folder)
    // Warm, so that memory grows by the flood alone.
    _ = try deployment.load(rate: LoginFlood.postsPerSecond, seconds: 2)
    let alone = try deployment.load(rate: LoginFlood.postsPerSecond, seconds: seconds)
    let before = deployment.ingest.megabytes
    // What whoever sends them costs this machine, which is not the server's.
    let (refusals, _) = try await load(deployment, beside: { _ in "{" })
    let (logins, statuses) = try await load(
      deployment, beside: { #"{"email":"nobody\#($0)@example.org","password":"wrong password"}"# })
    let after = deployment.ingest.megabytes
    for (name, share) in [
      ("until stored", \OpenLoop.acceptMs.p99), ("until seen", \OpenLoop.postToSubscriberMs.p99),
    ] {
      table.add("logins: posts' p99 ms \(name), alone", alone[keyPath: share])
      table.add(
        "logins: the same beside \(LoginFlood.perSecond) requests/s that are none", refusals[keyPath: share])
      table.add("logins: the same beside \(LoginFlood.perSecond) logins/s", logins[keyPath: share])
      table.add("logins: beside logins / alone, \(name)", logins[keyPath: share] / alone[keyPath: share])
      table.add("logins: beside logins / beside none, \(name)", logins[keyPath: share] / refusals[keyPath: share])
    }
    table.add("logins: ingest grew by MB", after - before)
    for (status, count) in statuses.sorted(by: { $0.key < $1.key }) {
      table.add("logins: answered with \(status) /s", Double(count) / Double(seconds))
    }
  }

  /// Posts, beside a flood of requests to log in, each with its number's body.
  private func load(
    _ deployment: Deployment, beside body: @escaping @Sendable (Int) -> String
  ) async throws -> (posts: OpenLoop, statuses: [Int: Int]) {
    let statuses = Statuses()
    let flood = try LoginFlood.flood(deployment.http, body, statuses)
    let posts = try deployment.load(rate: LoginFlood.postsPerSecond, seconds: seconds)
    statuses.end()
    try await flood.value
    return (posts, statuses.counts)
  }

  /// Until the statuses are to end. Each request has a connection of its own, as it would from an address of its own;
  /// the library's client would keep a core busy while many wait.
  private static func flood(
    _ http: String, _ body: @escaping @Sendable (Int) -> String, _ statuses: Statuses
  ) throws -> Task<Void, any Error> {
    guard let port = URL(string: http)?.port else { throw BenchError("\(http) is no address") }
    return Task {
      let clock = ContinuousClock()
      let start = clock.now
      var asking: [LoopbackSocket] = []
      for number in 0... {
        try await clock.sleep(until: start + .milliseconds(1_000 * number / perSecond))
        if statuses.hasEnded { return }
        asking = try asking.filter { socket in
          guard let answer = try status(of: socket) else { return true }
          statuses.add(answer)
          return false
        }
        let socket = try LoopbackSocket(port: port)
        try socket.write(Array(request(body(number), number: number).utf8))
        socket.waitNoMore()
        asking.append(socket)
      }
    }
  }

  /// Nil where it has not come yet.
  private static func status(of socket: LoopbackSocket) throws -> Int? {
    try withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 16) { buffer in
      // "HTTP/1.1 403": one that ends after its answer needs no more reading.
      try socket.read(into: buffer).map { _ in Int(String(decoding: buffer[9..<12], as: UTF8.self)) ?? 0 }
    }
  }

  private static func request(_ body: String, number: Int) -> String {
    let address = "10.\(number >> 16 & 255).\(number >> 8 & 255).\(number & 255)"
    return """
      POST /v2/session HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-Forwarded-For: \(address)\r\n\
      Content-Length: \(body.utf8.count)\r\n\r\n\(body)
      """
  }
}

/// How often each status was answered. Any thread.
private final class Statuses: Sendable {
  private let state = Mutex((counts: [Int: Int](), hasEnded: false))

  var counts: [Int: Int] { state.withLock(\.counts) }
  var hasEnded: Bool { state.withLock(\.hasEnded) }

  func add(_ status: Int) { state.withLock { $0.counts[status, default: 0] += 1 } }

  /// No more are to come.
  func end() { state.withLock { $0.hasEnded = true } }
}
