import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

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
    let flood = LoginFlood.flood(deployment.http, body, statuses)
    let posts = try deployment.load(rate: LoginFlood.postsPerSecond, seconds: seconds)
    statuses.end()
    try await flood.value
    return (posts, statuses.counts)
  }

  /// Until the statuses are to end: a request that is cancelled in the moment of its answer can hang for ever.
  private static func flood(
    _ http: String, _ body: @escaping @Sendable (Int) -> String, _ statuses: Statuses
  ) -> Task<Void, any Error> {
    Task {
      let clock = ContinuousClock()
      let start = clock.now
      try await withThrowingTaskGroup { group in
        for number in 0... {
          if statuses.hasEnded { break }
          try await clock.sleep(until: start + .milliseconds(1_000 * number / perSecond))
          group.addTask { statuses.add(try await logIn(http, body(number), number: number)) }
        }
      }
    }
  }

  /// - Returns: the answer's status.
  private static func logIn(_ http: String, _ body: String, number: Int) async throws -> Int {
    guard let url = URL(string: http + "/v2/session") else { throw BenchError("\(http) is no address") }
    var request = URLRequest(url: url)
    request.httpMethod = "POST"
    request.httpBody = Data(body.utf8)
    let address = "10.\(number >> 16 & 255).\(number >> 8 & 255).\(number & 255)"
    request.setValue(address, forHTTPHeaderField: "X-Forwarded-For")
    let (_, response) = try await URLSession.shared.data(for: request)
    return (response as? HTTPURLResponse)?.statusCode ?? 0
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
