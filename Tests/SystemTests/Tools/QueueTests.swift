import Foundation
import Glibc
import Testing

/// The parts of `onthemap queue --json` that these tests use.
private struct QueueStatus: Decodable {
  struct Worker: Decodable {
    let name: String
    let credit: Int
  }
  struct DeadCount: Decodable, Equatable {
    let reason: String
    let count: Int
  }
  let paused: Bool
  let ready: Int
  let leased: Int
  let dead: Int
  let deadByReason: [DeadCount]
  let workers: [Worker]
}

private struct QueueList: Decodable {
  struct Entry: Decodable {
    let id: String
    let state: String
    let place: String
  }
  let posts: [Entry]
  let next: String?
}

@Suite("onthemap queue", .fixture)
struct QueueTests {
  /// Runs `onthemap queue …` on the test's data. Returns its output without the final line end.
  @discardableResult
  private func queue(_ arguments: String..., status: Int32 = 0) async throws -> (output: String, log: String) {
    let ran = try await SystemFixture.current.run(
      ["queue"] + arguments + ["--data", SystemFixture.current.path("data")])
    #expect(ran.status == status, "\(arguments): \(ran.log)")
    return (ran.output.trimmingCharacters(in: .newlines), ran.log)
  }

  private func json<Value: Decodable>(_ type: Value.Type, _ arguments: String...) async throws -> Value {
    let ran = try await SystemFixture.current.run(
      ["queue"] + arguments + ["--json", "--data", SystemFixture.current.path("data")])
    return try JSONDecoder().decode(type, from: Data(ran.output.utf8))
  }

  /// Creates dead posts with a failing worker. Returns their ids.
  private func makeDead(_ places: [String], client: Client, jobs port: UInt16) async throws -> [String] {
    let worker = try FailingWorker(port: port)
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await worker.run() }
      var ids: [String] = []
      for place in places {
        let response = try await client.post(place, wait: 30)
        #expect(response["state"] == "dead", "\(response.object)")
        ids.append(try #require(response["id"]))
      }
      #expect(worker.count == places.count)
      group.cancelAll()
      return ids
    }
  }

  @Test("Dead posts are listed with their reason, shown with their history, retried and discarded")
  func dead() async throws {
    let map = try await SystemFixture.current.roles(workers: 0)
    let client = try await map.client.signedUp()
    let jobs = try #require(map.ports.first { $0.name == "jobs" }).port
    let ids = try await makeDead(["Oslo", "Lima", "Quito"], client: client, jobs: jobs)

    let status = try await json(QueueStatus.self, "status")
    #expect(status.dead == 3 && status.deadByReason == [.init(reason: "bad_place", count: 3)])
    #expect(try await queue("ls").log == "No queued posts; 3 dead posts: --state dead.\n")
    let list = try await json(QueueList.self, "ls", "--state", "dead")
    #expect(list.posts.map(\.id) == ids && list.posts.map(\.place) == ["Oslo", "Lima", "Quito"] && list.next == nil)
    let page = try await json(QueueList.self, "ls", "--limit", "2", "--reason", "bad_place")
    #expect(page.posts.map(\.id) == Array(ids[..<2]) && page.next == ids[1])
    #expect(try await json(QueueList.self, "ls", "--state", "dead", "--after", ids[1]).posts.map(\.id) == [ids[2]])
    let none = try await queue("ls", "--reason", "other")
    #expect(none.output.isEmpty && none.log == "No dead posts.\n")
    let report = try await queue("show", ids[1]).output
    for words in ["\(ids[1])  dead: bad_place, this worker likes no place", "place     Lima", "died  bad_place"] {
      #expect(report.contains(words), "\(report)")
    }

    #expect(try await queue("discard", ids[1]).output == "\(ids[1]) is discarded.")
    #expect(try await queue("discard", ids[1], status: 1).log == "\(ids[1]) is rejected, not dead.\n")
    let discarded = try await client.get("/v2/posts/\(ids[1])").decoded(Post.self)
    #expect(discarded.state == "rejected" && discarded.reason?.code == "discarded")
    #expect(discarded.reason?.detail == "discarded by the operator: this worker likes no place")

    #expect(try await queue("retry", ids[0]).output == "\(ids[0]) is back in the queue.")
    #expect(try await client.get("/v2/posts/\(ids[0])").decoded(Post.self).state == "queued")
    // Kill ingest right after the output, because the change is durable by then.
    try await map.ingest.restart()
    #expect(try await json(QueueList.self, "ls", "--state", "ready").posts.map(\.id) == [ids[0]])
    #expect(try await json(QueueList.self, "ls").posts.map(\.id) == [ids[0]], "Only the retried post must be queued.")
    let both = try await queue("retry", ids[2], "0000000001", status: 1)
    #expect(both.output == "\(ids[2]) is back in the queue." && both.log == "No post 0000000001.\n")
    _ = try await SystemFixture.current.worker(of: map)
    try await eventually("the retried posts are published") {
      try await client.posts().map(\.state) == ["published", "rejected", "published"]
    }
    #expect(try await queue("show", ids[0]).output.contains("retried"))
    #expect(try await queue("show", "0000000001", status: 1).log.contains("there is no post 0000000001"))
  }

  @Test("Dead posts of a reason are retried together, and none twice")
  func all() async throws {
    let map = try await SystemFixture.current.roles(workers: 0)
    let client = try await map.client.signedUp()
    let jobs = try #require(map.ports.first { $0.name == "jobs" }).port
    _ = try await makeDead(["Oslo", "Lima", "Quito"], client: client, jobs: jobs)
    #expect(try await queue("retry", "--reason", "other").output == "0 posts are back in the queue.")
    _ = try await SystemFixture.current.worker(of: map)
    #expect(try await queue("retry", "--reason", "bad_place").output == "3 posts are back in the queue.")
    #expect(try await queue("retry", "--all").output == "0 posts are back in the queue.")
    try await eventually("all posts are published") { try await client.posts().allSatisfy { $0.state == "published" } }
    #expect(try await json(QueueStatus.self, "status").dead == 0)
  }

  @Test("A pause holds accepted posts until the resume, also across kill -9")
  func pause() async throws {
    let map = try await SystemFixture.current.roles(workers: 1)
    let client = try await map.client.signedUp()
    try await client.expectService()
    #expect(try await String(decoding: client.get("/readyz").body, as: UTF8.self) == "ready\n")
    #expect(try await queue("pause").output.hasPrefix("Queue paused since "))
    for place in ["Oslo", "Lima"] { #expect(try await client.post(place, wait: 1)["state"] == "queued") }
    let lookup = try await client.get("/v2/geocode?q=Oslo")
    #expect(lookup.status == 503 && lookup["code"] == "queue_paused")

    try await map.ingest.restart()
    try await eventually("the worker has credit and gets no job") {
      let status = try await json(QueueStatus.self, "status")
      #expect(status.paused && status.ready == 2 && status.leased == 0)
      return status.workers.first?.credit ?? 0 > 0
    }
    #expect(try await String(decoding: client.get("/readyz").body, as: UTF8.self).contains("paused since"))
    #expect(try await queue("status").output.hasPrefix("queue     PAUSED for "))
    #expect(try await client.post("Quito").status == 202)
    #expect(try await queue("resume").output == "Queue resumed.")
    try await eventually("all posts are published") { try await client.posts().allSatisfy { $0.state == "published" } }
    #expect(try await client.posts().count == 4)
    try await client.expectService()
    try await map.ingest.restart()
    try await client.expectService()
  }

  @Test("Only the owner may open the admin socket, and a missing ingest is reported")
  func socket() async throws {
    let map = try await SystemFixture.current.up()
    let path = SystemFixture.current.path("data/admin.sock")
    var info = stat()
    #expect(stat(path, &info) == 0 && info.st_mode & 0o777 == 0o600)
    #expect(stat(SystemFixture.current.path("data"), &info) == 0 && info.st_mode & 0o777 == 0o700)
    try await map.ingest.kill()
    for arguments in [["queue", "status"], ["top"]] {
      let ran = try await SystemFixture.current.run(arguments + ["--data", SystemFixture.current.path("data")])
      #expect(ran.status == 1 && ran.output.isEmpty && ran.log.contains("no ingest is listening at \(path)"))
    }
  }

  @Test("The admin link accepts another local address, and refuses a public one")
  func address() async throws {
    let address = "tcp://127.0.0.1:\(try Port.free())"
    _ = try await SystemFixture.current.up("--admin", address)
    #expect(!FileManager.default.fileExists(atPath: SystemFixture.current.path("data/admin.sock")))
    let ran = try await SystemFixture.current.run("queue", "status", environment: ["ONTHEMAP_ADMIN": address])
    #expect(ran.status == 0 && ran.output.contains("worker-1"))
    // An abstract socket has no permissions, so it counts as public.
    for open in ["tcp://0.0.0.0:7703", "tcp://example.org:7703", "ipc://@onthemap", "ipc://*"] {
      let ran = try await SystemFixture.current.run("up", "--data", SystemFixture.current.path("b"), "--admin", open)
      #expect(ran.status == 78 && ran.log.contains("--admin (ONTHEMAP_ADMIN) must be ipc://PATH"), "\(ran.log)")
    }
  }

  @Test("top prints a line a second without a terminal, and ends on a signal")
  func top() async throws {
    _ = try await SystemFixture.current.up()
    let data = SystemFixture.current.path("data")
    let ran = try await SystemFixture.current.run("top", "--data", data, "--count", "2")
    let lines = ran.output.split(separator: "\n")
    #expect(ran.status == 0 && lines.count == 2 && lines.allSatisfy { $0.contains(" running depth=0 ") })
    let program = try SystemFixture.current.program(["top", "--json", "--data", data])
    try program.start()
    try await eventually("top prints a line") { !program.standardOutput.isEmpty }
    let status = try JSONDecoder().decode(
      QueueStatus.self, from: Data(program.standardOutput.split(separator: "\n")[0].utf8))
    #expect(status.workers.map(\.name).sorted() == ["worker-1", "worker-2"])
    program.signal(SIGINT)
    #expect(try await program.exit() == 0)
  }

  @Test(
    "Invalid arguments are refused without a request to ingest",
    arguments: [
      (["ls", "--state", "lost"], "ready, leased, committing, delayed, waiting_remote, dead"),
      (["ls", "--limit", "0"], "1 to 1000"), (["ls", "--limit", "1001"], "1 to 1000"),
      (["ls", "--after", "x"], "\"x\" is not a post id"),
      (["ls", "--state", "ready", "--reason", "x"], "--state dead"),
      (["show", "x"], "\"x\" is not a post id"), (["retry"], "--all"), (["retry", "0000000001", "--all"], "--all"),
      (["retry", "--reason", ""], "--reason"), (["discard"], "ids"), (["discard", "x"], "\"x\" is not a post id"),
    ])
  func wrong(arguments: [String], words: String) async throws {
    let ran = try await SystemFixture.current.run(["queue"] + arguments + ["--data", "/nowhere"])
    #expect(ran.status == 64 && ran.output.isEmpty && ran.log.contains(words), "\(ran.log)")
  }
}
