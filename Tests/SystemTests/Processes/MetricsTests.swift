import Foundation
import Glibc
import Testing

@Suite("Metrics", .fixture)
struct MetricsTests {
  /// Metrics of an ingest with PostgreSQL, or with a mail server.
  private static let optional = [
    "onthemap_store_repetitions_total", "onthemap_store_standby", "onthemap_mails_total",
  ]

  /// Returns the documented metrics of a deployment with SQLite and without mail, and their types.
  private static func documented() throws -> [String: String] {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let text = try String(
      contentsOf: root.appending(path: "Sources/Telemetry/Telemetry.docc/Metrics.md"), encoding: .utf8)
    return Dictionary(
      uniqueKeysWithValues: text.matches(of: #/\| `([a-z_]+)` \| (counter|gauge|histogram) \|/#).map {
        (String($0.1), String($0.2))
      }
    ).filter { !optional.contains($0.key) }
  }

  /// Creates a dead post with a failing worker.
  private func makeDead(_ place: String, client: Client, map: Services) async throws {
    let port = try #require(map.ports.first { $0.name == "jobs" }).port
    let worker = try FailingWorker(port: port)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await worker.run() }
      let response = try await client.post(place, wait: 30)
      #expect(response["state"] == "dead")
      group.cancelAll()
    }
  }

  @Test("Each role counts its work under exactly the documented metrics")
  func counts() async throws {
    let fixture = SystemFixture.current
    var map = try await fixture.roles(workers: 0)
    let client = try await map.client.signedUp()
    try await makeDead("Lima", client: client, map: map)
    map.workers = [try await fixture.worker(of: map)]
    #expect(try await client.post("Oslo", wait: 30)["state"] == "published")
    #expect(try await client.post("Qwxzzzk Vbbnkl", wait: 30)["state"] == "rejected")
    #expect(try await client.get("/v2/posts?scope=all").status == 200)
    #expect(try await client.get("/v2/posts/0000000001").status == 404)
    #expect(try await client.get("/v2/posts/nonsense/\(UUID())").status == 404)
    #expect(try await client.send("POST", "/v2/posts", body: "{").status == 400)
    let drafts = [Draft(key: "a"), Draft(key: "b"), Draft(key: "b"), Draft(key: "c", link: "ftp://x.y")]
    _ = try #require(try await Producer(map.submit, token: client.token).submitOnce(drafts, within: .seconds(120)))
    let stranger = Producer(try map.submit, token: "x")
    #expect(try await stranger.submit(drafts).error == 4)
    _ = try await fixture.watcher(of: map)
    try await eventually("all posts are settled") { try await client.posts().allSatisfy { $0.state != "queued" } }

    let ingest = try await Scrape(map.operations[0])
    func requests(_ route: String, _ method: String, _ code: Int) -> Double {
      ingest[#"onthemap_http_requests_total{route="\#(route)",method="\#(method)",code="\#(code)"}"#]
    }
    #expect(requests("/v2/posts", "POST", 200) == 3 && requests("/v2/posts", "POST", 400) == 1)
    #expect(requests("/v2/posts/{id}", "GET", 404) == 1 && requests("unmatched", "GET", 404) == 1)
    #expect(requests("/v2/accounts", "POST", 201) == 1)
    let duration = #"onthemap_http_request_duration_seconds_count{route="/v2/posts",method="POST"}"#
    #expect(ingest[duration] == 4)
    func completed(_ outcome: String) -> Double {
      ingest[#"onthemap_queue_completed_total{outcome="\#(outcome)"}"#]
    }
    #expect(completed("published") == 3 && completed("rejected") == 1 && completed("dead") == 1)
    #expect(ingest[#"onthemap_queue_enqueued_total{source="http"}"#] == 3)
    #expect(ingest[#"onthemap_queue_enqueued_total{source="zeromq"}"#] == 2)
    #expect(ingest[#"onthemap_queue_posts{state="dead"}"#] == 1 && ingest["onthemap_queue_posts_max"] == 100_000)
    for state in ["ready", "leased", "committing", "delayed", "waiting_remote"] {
      #expect(ingest.values[#"onthemap_queue_posts{state="\#(state)"}"#] == 0)
    }
    #expect(ingest["onthemap_queue_workers"] >= 1 && ingest["onthemap_queue_credit"] > 0)
    #expect(ingest.values["onthemap_queue_oldest_age_seconds"] == 0)
    #expect(ingest[#"onthemap_queue_results_total{disposition="committed"}"#] == 5)
    #expect(ingest["onthemap_submit_batches_total"] == 1)
    func submitted(_ code: String) -> Double { ingest[#"onthemap_submit_posts_total{code="\#(code)"}"#] }
    #expect(submitted("accepted") == 2 && submitted("replayed") == 1 && submitted("invalid_link") == 1)
    #expect(ingest[#"onthemap_submit_errors_total{code="unauthorized"}"#] >= 1)
    #expect(ingest[#"onthemap_store_scans_total{outcome="done"}"#] == 1)
    #expect(ingest.values[#"onthemap_store_scans_total{outcome="refused"}"#] == 0)
    let commits = ingest["onthemap_store_commit_duration_seconds_count"]
    #expect(commits > 5 && ingest["onthemap_store_wal_syncs_total"] <= commits)
    #expect(ingest["onthemap_store_wal_syncs_total"] > 5 && ingest["onthemap_store_wal_bytes"] > 4_096)
    #expect(ingest["onthemap_store_commit_rows_sum"] >= 12 && ingest["onthemap_store_database_bytes"] >= 4_096)
    #expect(ingest["onthemap_changes_seq"] == 3 && ingest[#"onthemap_build_info{version="0.1.0"}"#] == 1)

    let feed = try await eventually("the feed counts its subscriber") {
      let feed = try await Scrape(map.operations[1])
      return feed[#"onthemap_feed_subscribers{kind="zeromq"}"#] == 1 && feed["onthemap_feed_seq"] == 3 ? feed : nil
    }
    #expect(feed["onthemap_feed_joins_total"] >= 1)
    #expect(try #require(feed.values["onthemap_feed_ingest_reply_age_seconds"]) >= 0)
    let worker = try await Scrape(map.operations[2])
    #expect(worker[#"onthemap_geocode_duration_seconds_count{outcome="located"}"#] == 3)
    #expect(worker[#"onthemap_geocode_duration_seconds_count{outcome="not_found"}"#] == 1)
    #expect(worker["onthemap_worker_sessions_total"] == 1 && worker["process_threads"] > 1)

    let types = [ingest, feed, worker].reduce(into: [:]) { $0.merge($1.types) { first, _ in first } }
    #expect(try types == Self.documented())
    for scrape in [ingest, feed, worker] {
      #expect(scrape.values.filter { $0.key.hasPrefix("onthemap_link_") }.allSatisfy { $0.value == 0 })
    }
  }

  @Test("A paused queue shows its depth and its age")
  func depth() async throws {
    let map = try await SystemFixture.current.up()
    let client = try await map.client.signedUp()
    let data = SystemFixture.current.path("data")
    #expect(try await SystemFixture.current.run("queue", "pause", "--data", data).status == 0)
    for place in ["Oslo", "Lima"] { #expect(try await client.post(place).status == 202) }
    let operations = try #require(try map.operations.first)
    try await eventually("both posts wait and get older") {
      let scrape = try await Scrape(operations)
      #expect(scrape["onthemap_queue_paused"] == 1)
      return scrape[#"onthemap_queue_posts{state="ready"}"#] == 2 && scrape["onthemap_queue_oldest_age_seconds"] > 0.1
    }
    #expect(try await SystemFixture.current.run("queue", "resume", "--data", data).status == 0)
    try await eventually("no post waits") {
      let scrape = try await Scrape(operations)
      return scrape["onthemap_queue_paused"] == 0 && scrape[#"onthemap_queue_posts{state="ready"}"#] == 0
        && scrape[#"onthemap_queue_completed_total{outcome="published"}"#] == 2
    }
    #expect(try await operations.get("/livez").status == 204)
    let ready = try await operations.get("/readyz")
    #expect(ready.status == 200 && String(decoding: ready.body, as: UTF8.self) == "ready\n")
    #expect(try await operations.send("POST", "/metrics").status == 405)
    #expect(try await operations.get("/v2/feed").status == 404)
  }

  @Test("A thousand concurrent scrapes leak no memory, descriptors or threads")
  func leaks() async throws {
    let map = try await SystemFixture.current.up()
    let operations = try #require(try map.operations.first)
    func scrape(_ count: Int) async throws {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<8 {
          group.addTask {
            for _ in 0..<(count / 8) {
              let response = try await operations.get("/metrics")
              #expect(response.status == 200)
            }
          }
        }
        try await group.waitForAll()
      }
    }
    // Warm up first, so that one-time allocations do not count.
    try await scrape(200)
    let before = try await Scrape(operations)
    try await scrape(1_000)
    try await eventually("the connections are closed") {
      let after = try await Scrape(operations)
      return after["process_open_fds"] <= before["process_open_fds"] + 8
        && after["process_threads"] <= before["process_threads"] + 4
    }
    let after = try await Scrape(operations)
    #expect(after["process_resident_memory_bytes"] < before["process_resident_memory_bytes"] + 8_000_000)
  }

  @Test("`--operations none` disables the endpoint, and an address that is in use or invalid is an error")
  func address() async throws {
    let fixture = SystemFixture.current
    let off = try await fixture.up("--operations", "none")
    #expect(off.ingest.ready["operations"] == nil)
    try await off.client.signedUp().expectService()
    let port = try Port.free()
    let listener = try Listener(port: port)
    let ran = try await fixture.run(
      "up", "--data", fixture.path("b"), "--operations", "127.0.0.1:\(port)")
    #expect(ran.status == 1 && ran.log.contains("--operations (ONTHEMAP_OPERATIONS): "), "\(ran.log)")
    let gateway = try await fixture.run("gateway", "--http", "127.0.0.1:\(port)", "--operations", "none")
    #expect(gateway.status == 1 && gateway.log.contains("--http (ONTHEMAP_GATEWAY_HTTP): "), "\(gateway.log)")
    #expect(!gateway.log.contains("shutdown requested"), "\(gateway.log)")
    withExtendedLifetime(listener) {}
    for wrong in ["9464", "127.0.0.1:", "off"] {
      let ran = try await fixture.run("up", "--data", fixture.path("b"), "--operations", wrong)
      #expect(ran.status == 78 && ran.log.contains("--operations (ONTHEMAP_OPERATIONS) must be HOST:PORT"))
    }
  }

  @Test("Connections above 64 wait until one ends")
  func connections() async throws {
    let map = try await SystemFixture.current.up()
    let port = try #require(map.operations.first).port
    var idle = try (0..<64).map { _ in try Connection(port: port) }
    // Each of these connections is accepted, because each has a response.
    for connection in idle {
      try await connection.send(Array("GET /livez HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
      #expect(try await connection.receive(12) == "HTTP/1.1 204")
    }
    let last = try Connection(port: port)
    try await last.send(Array("GET /livez HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
    #expect(try await last.receive(1, within: .milliseconds(300)).isEmpty)
    idle.removeFirst()
    #expect(try await last.receive(12) == "HTTP/1.1 204")
  }

  @Test("Two workers on one host need no configured addresses")
  func defaults() async throws {
    let map = try await SystemFixture.current.roles(workers: 0)
    let jobs = try #require(map.ports.first { $0.name == "jobs" }).port
    var addresses: Set<String> = []
    for _ in 0..<2 {
      let worker = try SystemFixture.current.program(["worker", "--ingest", "tcp://127.0.0.1:\(jobs)"])
      try await worker.startAndWait()
      let address = try #require(worker.ready["operations"])
      #expect(addresses.insert(address).inserted)
      #expect(try await Client(address).get("/readyz").status == 200)
    }
  }

  @Test("The commands top and queue status show the number of subscribers")
  func subscribers() async throws {
    let fixture = SystemFixture.current
    let map = try await fixture.up()
    let watcher = try await fixture.watcher(of: map)
    _ = try await fixture.watcher(of: map)
    func status() async throws -> String {
      try await fixture.run("queue", "status", "--data", fixture.path("data")).output
    }
    try await eventually("both subscribers are shown") { try await status().contains(", 2 subscribers") }
    let top = try await fixture.run("top", "--count", "1", "--data", fixture.path("data"))
    #expect(top.output.contains(" subscribers=2 "))
    try await watcher.program.kill()
    try await eventually("one subscriber is shown") { try await status().contains(", 1 subscriber\n") }
  }
}
