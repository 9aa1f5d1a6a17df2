import Foundation
import Testing

@Suite("Full backlog", .fixture)
struct FullQueueTests {
  @Test(
    "A full backlog refuses new posts and replays known ones, over HTTP and ZeroMQ",
    .enabled(if: SQL.isAvailable))
  func edge() async throws {
    let map = try await SystemFixture.current.roles(workers: 0)
    let (ingest, token) = (map.ingest, try await map.client.signedUp().token)
    try await ingest.kill()
    // One post less than `Limits.queueDepthMax`.
    try SQL(SystemFixture.current.path("data/onthemap.sqlite")).run(
      """
      WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 99999)
      INSERT INTO post (id, account, place, link, state, created_ms, updated_ms)
      SELECT n, (SELECT id FROM account), 'Oslo', 'https://example.org/', 0, 1, 1 FROM number
      """)
    try await ingest.startAndWait()
    var client = try map.client
    client.token = token
    let last = try await client.post("Lima", key: "last")
    #expect(last.status == 202)
    let full = try await client.get("/readyz")
    #expect(full.status == 503 && full["code"] == "backlog_full")
    for key in [nil, "new"] {
      let refused = try await client.post("Quito", key: key)
      #expect(refused.status == 503 && refused["code"] == "busy" && refused.headers["retry-after"] == "2")
    }
    let again = try await client.post("Lima", key: "last")
    #expect(again.status == 202 && again["id"] == last["id"] && again.headers["idempotency-replayed"] == "true")
    #expect(try await client.post("Oslo", key: "last").status == 409)

    // The same over ZeroMQ.
    let producer = Producer(try map.submit, token: token)
    let receipts = try await producer.submit([
      Draft(key: "last", place: "Lima"), Draft(key: "new"), Draft(key: "last"),
    ]).receipts
    #expect(receipts.map(\.outcome) == [.replayed, .busy, .refused] && receipts[0].id == last["id"])
    #expect(receipts[1].code == "busy" && receipts[1].retryAfterMs == 2_000)
    // A retry of dead posts needs a free slot too.
    let retry = try await SystemFixture.current.run(
      "queue", "retry", "--all", "--data", SystemFixture.current.path("data"))
    #expect(retry.status == 1 && retry.log.contains("free slots"))
    let list = try await SystemFixture.current.run(
      "queue", "ls", "--state", "ready", "--limit", "2", "--data", SystemFixture.current.path("data"))
    #expect(list.output.contains("0000000001") && list.output.contains("0000000002"))

    // Ingest accepts posts again when it has free slots.
    _ = try await SystemFixture.current.worker(of: map)
    try await eventually("a post is accepted") { try await client.post("Quito").status == 202 }
    try await eventually("ingest is ready") { try await client.get("/readyz").status == 200 }
  }

  @Test("A backlog whose oldest post waits too long refuses posts until a worker connects")
  func late() async throws {
    let map = try await SystemFixture.current.roles(workers: 0, environment: ["ONTHEMAP_MAX_QUEUE_WAIT": "1"])
    let client = try await map.client.signedUp()
    #expect(try await client.post("Lima", key: "first").status == 202)
    try await eventually("posts are refused") {
      try await client.post("Quito").status == 503
    }
    let refused = try await client.post("Quito")
    #expect(refused["code"] == "busy" && refused.headers["retry-after"] == "30")
    let late = try await client.get("/readyz")
    #expect(late.status == 503 && late["code"] == "backlog_stalled")
    let again = try await client.post("Lima", key: "first")
    #expect(again.status == 202 && again.headers["idempotency-replayed"] == "true")
    let producer = Producer(try map.submit, token: client.token)
    let receipts = try await producer.submit([Draft(key: "first", place: "Lima"), Draft(key: "new")]).receipts
    #expect(receipts.map(\.outcome) == [.replayed, .busy] && receipts[1].retryAfterMs == 30_000)
    let status = try await SystemFixture.current.run("queue", "status", "--data", SystemFixture.current.path("data"))
    #expect(status.output.contains("REFUSING: a post has waited "), "\(status.output)")

    _ = try await SystemFixture.current.worker(of: map)
    try await eventually("a post is accepted") { try await client.post("Oslo").status == 202 }
    #expect(map.ingest.standardError.contains("backlog stalled: refusing posts"))
    #expect(map.ingest.standardError.contains("backlog recovered: accepting posts"))
  }

  @Test("An invalid --max-queue-wait is refused at start", arguments: ["0", "604801", "1.5", "long"])
  func badWait(seconds: String) async throws {
    let ran = try await SystemFixture.current.run(
      "ingest", "--data", SystemFixture.current.path("data"), "--max-queue-wait", seconds)
    #expect(ran.status != 0 && ran.log.contains("--max-queue-wait (ONTHEMAP_MAX_QUEUE_WAIT)"), "\(ran.log)")
  }
}
