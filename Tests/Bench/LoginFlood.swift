import Foundation

/// Logins with wrong passwords at a fixed rate, each for another account and from another address, beside posts of
/// somebody who is signed in.
struct LoginFlood {
  static let perSecond = 200
  private static let postsPerSecond = 500

  let folder: URL
  let seconds: Int

  func measure(into table: inout Table) async throws {
    let deployment = try Deployment(folder: folder)
    let crowd = try LoginCrowd(http: deployment.http)
    try await crowd.measure(into: &table)
    // Warm, so that memory grows by the flood alone.
    _ = try deployment.load(rate: LoginFlood.postsPerSecond, seconds: 2)
    let alone = try deployment.load(rate: LoginFlood.postsPerSecond, seconds: seconds)
    let before = deployment.ingest.megabytes
    // What whoever sends them costs this machine, which is not the server's.
    let (refusals, _) = try await load(deployment, beside: { _ in "{" })
    let others = Task { try await crowd.logInOneByOne() }
    let (logins, statuses) = try await load(
      deployment, beside: { #"{"email":"nobody\#($0)@example.org","password":"wrong password"}"# })
    others.cancel()
    let answers = try await others.value
    let after = deployment.ingest.megabytes
    let seconds = answers.map(\.seconds).sorted()
    table.add(
      "logins: of others beside \(LoginFlood.perSecond) logins/s, let in %",
      100 * Double(answers.count { $0.status == 200 }) / Double(max(1, answers.count)))
    table.add(
      "logins: of others beside \(LoginFlood.perSecond) logins/s, p99 s",
      seconds.isEmpty ? 0 : seconds[seconds.count * 99 / 100])
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
      table.add("logins: answered with \(status) /s", Double(count) / Double(self.seconds))
    }
  }

  /// Posts, beside a flood of requests to log in, each with its number's body.
  private func load(
    _ deployment: Deployment, beside body: @escaping @Sendable (Int) -> String
  ) async throws -> (posts: OpenLoop, statuses: [Int: Int]) {
    let flood = try RequestFlood(deployment.http, perSecond: LoginFlood.perSecond) { number in
      let body = body(number)
      return """
        POST /v2/session HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
        X-Forwarded-For: \(RequestFlood.address(number))\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)
        """
    }
    let (posts, statuses) = try await flood.run {
      try deployment.load(rate: LoginFlood.postsPerSecond, seconds: seconds)
    }
    return (posts, statuses)
  }
}
