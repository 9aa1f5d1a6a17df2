import Foundation

/// Benchmark of posts during a flood of logins with wrong passwords. The logins come at a fixed rate, each for another
/// account and from another address.
struct LoginFlood {
  static let perSecond = 200
  private static let postsPerSecond = 500
  /// Rate of posts while a class logs in.
  private static let classPostsPerSecond = 100

  let folder: URL
  let seconds: Int

  func measure(into table: inout Table) async throws {
    let deployment = try Deployment(folder: folder)
    let crowd = try LoginCrowd(http: deployment.http)
    try await crowd.measure(into: &table)
    try await measureClass(crowd, deployment, into: &table)
    // Warm up, so that only the flood makes memory grow.
    _ = try deployment.load(rate: LoginFlood.postsPerSecond, seconds: 2)
    let alone = try deployment.load(rate: LoginFlood.postsPerSecond, seconds: seconds)
    let before = deployment.ingest.megabytes
    // A flood of invalid requests shows the cost of the sender, which is not a cost of the server.
    let (refusals, _) = try await load(deployment, beside: { _ in "{" })
    let others = Task {
      // Logins that arrive with the start of the flood would wait among its first requests.
      try await Task.sleep(for: .seconds(3))
      return try await crowd.logInOneByOne()
    }
    let (logins, statuses) = try await load(
      deployment, beside: { #"{"email":"nobody\#($0)@example.org","password":"wrong password"}"# })
    others.cancel()
    let responses = try await others.value
    let after = deployment.ingest.megabytes
    // Wait until all queued hashes have ended.
    try await Task.sleep(for: .seconds(12))
    let (signUps, _) = try await load(
      deployment, "accounts",
      beside: { #"{"email":"new\#($0)@example.org","password":"correct-horse","firstName":"A"}"# })
    let seconds = responses.map(\.seconds).sorted()
    table.add(
      "logins: others beside \(LoginFlood.perSecond) logins/s, accepted %",
      100 * Double(responses.count { $0.status == 200 }) / Double(max(1, responses.count)), within: 99...100)
    table.add(
      "logins: others beside \(LoginFlood.perSecond) logins/s, p99 s",
      seconds.isEmpty ? 0 : seconds[seconds.count * 99 / 100], within: 0...5)
    for (name, share) in [
      ("until stored", \OpenLoop.acceptMs.p99), ("until seen", \OpenLoop.postToSubscriberMs.p99),
    ] {
      table.add("logins: posts' p99 ms \(name), alone", alone[keyPath: share])
      table.add(
        "logins: the same beside \(LoginFlood.perSecond) invalid requests/s", refusals[keyPath: share])
      table.add("logins: the same beside \(LoginFlood.perSecond) logins/s", logins[keyPath: share])
      table.add(
        "logins: beside logins / alone, \(name)", logins[keyPath: share] / alone[keyPath: share], within: 0...2)
      table.add(
        "logins: beside \(LoginFlood.perSecond) sign-ups/s / alone, \(name)",
        signUps[keyPath: share] / alone[keyPath: share], within: 0...2)
      table.add(
        "logins: beside logins / beside invalid requests, \(name)", logins[keyPath: share] / refusals[keyPath: share])
    }
    table.add("logins: ingest grew by MB", after - before)
    for (status, count) in statuses.sorted(by: { $0.key < $1.key }) {
      table.add("logins: responses with \(status) /s", Double(count) / Double(self.seconds))
    }
  }

  /// Measures a class that logs in while a few posts are sent.
  private func measureClass(_ crowd: LoginCrowd, _ deployment: Deployment, into table: inout Table) async throws {
    let rate = LoginFlood.classPostsPerSecond
    let alone = try deployment.load(rate: rate, seconds: seconds)
    let logins = Task { try await crowd.logIn(0..<LoginCrowd.count, from: "198.51.100.3") }
    let beside = try deployment.load(rate: rate, seconds: seconds)
    let responses = try await logins.value
    let name = "logins: a class of \(LoginCrowd.count) beside \(rate) posts/s"
    let all = Double(LoginCrowd.count)
    table.add("\(name), accepted", Double(responses.count { $0.status == 200 }), within: all...all)
    table.add("\(name), slowest s", responses.map(\.seconds).max() ?? 0, within: 0...20)
    table.add("logins: p99 ms until stored of \(rate) posts/s, alone", alone.acceptMs.p99)
    table.add("logins: the same beside that class", beside.acceptMs.p99)
  }

  /// Measures posts during a flood of logins or sign-ups with these bodies.
  private func load(
    _ deployment: Deployment, _ path: String = "session", beside body: @escaping @Sendable (Int) -> String
  ) async throws -> (posts: OpenLoop, statuses: [Int: Int]) {
    let flood = try RequestFlood(deployment.http, perSecond: LoginFlood.perSecond) { number in
      let body = body(number)
      return """
        POST /v2/\(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
        X-Forwarded-For: \(RequestFlood.address(number))\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)
        """
    }
    let (posts, statuses) = try await flood.run {
      try deployment.load(rate: LoginFlood.postsPerSecond, seconds: seconds)
    }
    return (posts, statuses)
  }
}
