import Foundation
import Testing

@Suite("Trace context", .fixture)
struct TraceTests {
  private static let id = "4bf92f3577b34da6a3ce929d0e0e4736"
  private static let header = "00-\(id)-00f067aa0ba902b7-01"
  private static let debug = ["ONTHEMAP_LOG_LEVEL": "debug"]

  private func post(_ place: String, _ header: String, client: Client) async throws -> String {
    let response = try await client.send(
      "POST", "/v2/posts", body: JSON.object(["place": place, "link": "https://example.org/ada"]),
      headers: ["traceparent": header, "tracestate": "vendor=1"])
    #expect(response.status == 202)
    return try #require(response["id"])
  }

  /// Returns true if a line of the log has all these words.
  private func has(_ program: Program?, _ words: String...) -> Bool {
    (program?.standardError ?? "").split(separator: "\n").contains { line in words.allSatisfy { line.contains($0) } }
  }

  private func show(_ id: String) async throws -> String {
    try await SystemFixture.current.run("queue", "show", id, "--data", SystemFixture.current.path("data")).output
  }

  @Test("A trace context follows a post from request to feed, also across kill -9")
  func follows() async throws {
    let fixture = SystemFixture.current
    var map = try await fixture.roles(workers: 0, environment: Self.debug)
    let client = try await map.client.signedUp()
    let traced = try await post("Oslo", Self.header, client: client)
    let bare = try await post("Lima", "00-\(Self.id.uppercased())-00f067aa0ba902b7-01", client: client)
    let nowhere = try await post("Qwxzzzk Vbbnkl", Self.header, client: client)
    var draft = Draft(key: "a", place: "Quito")
    draft.traceparent = Self.header
    let sent = try #require(try await Producer(map.submit, token: client.token).submit([draft]).receipts.first).id
    #expect(try await show(traced).contains("trace     \(Self.id), parent span 00f067aa0ba902b7\n"))
    #expect(try await !show(bare).contains("trace "))
    try await map.ingest.restart()
    map.workers = [try await fixture.worker(of: map, environment: Self.debug)]
    try await eventually("all posts are settled") { try await client.posts().allSatisfy { $0.state != "queued" } }
    for id in [traced, sent] {
      // A post may be visible shortly before its log lines are.
      try await eventually("worker, ingest and feed log the post") {
        has(map.workers[0], "debug worker: job answered", "post=\(id)", "trace_id=\(Self.id)")
          && has(map.ingest, "debug ingest: post published", "post=\(id)", "trace_id=\(Self.id)")
          && has(map.feed, "debug feed: post published", "post=\(id)", "trace_id=\(Self.id)")
      }
      #expect(try await show(id).contains("trace     \(Self.id)"))
    }
    try await eventually("ingest logs the rejection") {
      has(map.ingest, "post rejected", "post=\(nowhere)", "trace_id=\(Self.id)")
    }
    #expect(has(map.workers[0], "job answered", "post=\(bare)") && !has(map.workers[0], "post=\(bare)", "trace_id"))
    let list = try await map.feedClient.get("/v2/feed")
    #expect(!String(decoding: list.body, as: UTF8.self).contains(Self.id), "Subscribers must not get the trace.")
    let row = try await fixture.run("queue", "show", traced, "--json", "--data", fixture.path("data")).output
    #expect(row.contains("\"traceparent\":\"\(Self.header)\""))
    #expect(!row.contains("vendor"))
  }

  @Test("Above level debug only dead posts are logged, with their trace")
  func dead() async throws {
    let map = try await SystemFixture.current.roles(workers: 0)
    let client = try await map.client.signedUp()
    let worker = try FailingWorker(port: #require(map.ports.first { $0.name == "jobs" }).port)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await worker.run() }
      let id = try await post("Oslo", Self.header, client: client)
      try await eventually("the post is dead") {
        has(map.ingest, "notice ingest: post became dead", "post=\(id)", "trace_id=\(Self.id)", "code=bad_place")
      }
      group.cancelAll()
    }
  }
}
