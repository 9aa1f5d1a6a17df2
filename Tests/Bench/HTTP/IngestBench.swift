import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Benchmark of ingest over HTTP: posts, and the lists of both APIs compared with bare Hummingbird and the same bytes.
struct IngestBench {
  let folder: URL
  let seconds: Int
  let yardsticks: Baselines?

  func measure(into table: inout Table) async throws {
    try await lists(&table)
    try await posts(&table)
    let bulk = try await Pipeline.overBulk(folder: folder, posts: 1_000, seconds: seconds)
    table.add("api: posts accepted, 1,000 a request /s", bulk.acceptedPerSecond)
    table.add("api: posts completed, 1,000 a request /s", bulk.completedPerSecond)
    for cost in bulk.costs { table.add("api: \(cost.role) CPU us a post, 1,000 a request", cost.cpuMicroseconds) }
    guard let sqlite = try yardsticks?.sqliteInsertAndSettlePerSecond(seconds: seconds) else { return }
    table.add("api: SQLite insert and settle /s", sqlite)
    table.add("api: completed, 1,000 a request / SQLite", bulk.completedPerSecond / sqlite)
  }

  /// Measures posts with a bearer token, as from programs, and with a cookie, as from the page.
  private func posts(_ table: inout Table) async throws {
    let deployment = try Deployment(folder: folder)
    let token = try await deployment.signUp()
    let rates = try [false, true].map { isBrowser in
      try HTTPLoad.run(
        url: deployment.http + "/v2/posts", body: #"{"place":"Seattle, WA","link":"https://example.org/me"}"#,
        token: token, isBrowser: isBrowser, connections: 64, seconds: seconds, folder: folder
      ).perSecond
    }
    table.add("api: POST /v2/posts with a token /s", rates[0])
    table.add("api: POST /v2/posts with a cookie /s", rates[1])
    table.add("api: POST with a cookie / with a token", rates[1] / rates[0])
  }

  private func lists(_ table: inout Table) async throws {
    let deployment = try Deployment(folder: folder)
    let token = try await deployment.signUp()
    let posts = try await Bulk(deployment, token: token).send(100)
    _ = try await deployment.published(atLeast: posts, within: .seconds(30))
    for (name, path) in [
      ("/v2/feed", "/v2/feed"), ("/v1/StudentLocation", "/v1/StudentLocation?limit=100&order=-updatedAt"),
    ] {
      guard let url = URL(string: deployment.http + path) else { throw BenchError("\(path) is no address") }
      let document = folder.appendingPathComponent("list.json")
      try await URLSession.shared.data(from: url).0.write(to: document)
      let ours = try HTTPLoad.run(
        url: url.absoluteString, body: nil, token: token, connections: 64, seconds: seconds, folder: folder)
      let bare = try BareServer.measure(document: document, folder: folder, connections: 64, seconds: seconds)
      table.add("api: GET \(name) with a session /s", ours.perSecond)
      table.add("api: bare Hummingbird, bytes of \(name) /s", bare.perSecond)
      table.add("api: GET \(name) / bare Hummingbird", ours.perSecond / bare.perSecond)
      if let nginx = try FeedBaselines(folder: folder)?.nginx(document: document, seconds: seconds) {
        table.add("api: GET \(name) / nginx", ours.perSecond / nginx)
      }
    }
  }
}

/// A client of the bulk API over HTTP.
struct Bulk: Sendable {
  private let url: URL
  private let token: String

  init(_ deployment: Deployment, token: String) throws {
    guard let url = URL(string: deployment.http + "/v2/posts/bulk") else { throw BenchError("no address") }
    self.url = url
    self.token = token
  }

  private static let line = Data((#"{"place":"Seattle, WA","link":"https://example.org/me"}"# + "\n").utf8)
  private static let accepted = Array(#"{"status":202"#.utf8)

  /// Sends posts in one request. Returns the number of accepted posts. Uses little CPU time, because the measured
  /// system needs the CPU.
  func send(_ posts: Int) async throws -> Int {
    var request = URLRequest(url: url)
    request.httpMethod = "POST"
    request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
    request.setValue("application/x-ndjson", forHTTPHeaderField: "Content-Type")
    var lines = Data(capacity: posts * Bulk.line.count)
    for _ in 0..<posts { lines.append(Bulk.line) }
    request.httpBody = lines
    let (body, _) = try await URLSession.shared.data(for: request)
    return [UInt8](body).split(separator: UInt8(ascii: "\n")).count { $0.starts(with: Bulk.accepted) }
  }
}
