import Foundation
import Glibc
import Testing

/// What `onthemap queue` says with --json, as far as these tests look.
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

@Suite("An operator sees into the queue and steers it", .stage)
struct QueueTests {
  /// Runs `onthemap queue …` on the test's data; what it says, without the line's end.
  @discardableResult
  private func queue(_ arguments: String..., status: Int32 = 0) async throws -> (said: String, logged: String) {
    let ran = try await SystemFixture.current.run(["queue"] + arguments + ["--data", SystemFixture.current.path("data")])
    #expect(ran.status == status, "\(arguments): \(ran.logged)")
    return (ran.said.trimmingCharacters(in: .newlines), ran.logged)
  }

  private func json<Value: Decodable>(_ type: Value.Type, _ arguments: String...) async throws -> Value {
    let ran = try await SystemFixture.current.run(["queue"] + arguments + ["--json", "--data", SystemFixture.current.path("data")])
    return try JSONDecoder().decode(type, from: Data(ran.said.utf8))
  }

  /// Posts that a failing worker has buried.
  private func makeDead(_ places: [String], client: Client, jobs port: UInt16) async throws -> [String] {
    let worker = try FailingWorker(port: port)
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await worker.run() }
      var ids: [String] = []
      for place in places {
        let answer = try await client.post(place, wait: 30)
        #expect(answer["state"] == "dead", "\(answer.object)")
        ids.append(try #require(answer["id"]))
      }
      #expect(worker.count == places.count)
      group.cancelAll()
      return ids
    }
  }

  @Test("Dead posts are listed with their reason, shown with their history, retried and dropped")
  func dead() async throws {
    let map = try await SystemFixture.current.roles(workers: 0)
    let client = try await map.client.signedUp()
    let jobs = try #require(map.ports.first { $0.name == "jobs" }).port
    let ids = try await makeDead(["Oslo", "Lima", "Quito"], client: client, jobs: jobs)

    let status = try await json(QueueStatus.self, "status")
    #expect(status.dead == 3 && status.deadByReason == [.init(reason: "bad_place", count: 3)])
    #expect(try await queue("ls").logged == "No post waits; 3 posts are dead: --state dead.\n")
    let list = try await json(QueueList.self, "ls", "--state", "dead")
    #expect(list.posts.map(\.id) == ids && list.posts.map(\.place) == ["Oslo", "Lima", "Quito"] && list.next == nil)
    let page = try await json(QueueList.self, "ls", "--limit", "2", "--reason", "bad_place")
    #expect(page.posts.map(\.id) == Array(ids[..<2]) && page.next == ids[1])
    #expect(try await json(QueueList.self, "ls", "--state", "dead", "--after", ids[1]).posts.map(\.id) == [ids[2]])
    let none = try await queue("ls", "--reason", "other")
    #expect(none.said.isEmpty && none.logged == "No post is dead.\n")
    let report = try await queue("show", ids[1]).said
    for words in ["\(ids[1])  dead: bad_place, this worker likes no place", "place     Lima", "died  bad_place"] {
      #expect(report.contains(words), "\(report)")
    }

    #expect(try await queue("drop", ids[1]).said == "\(ids[1]) is dropped.")
    #expect(try await queue("drop", ids[1], status: 1).logged == "\(ids[1]) is rejected, not dead.\n")
    let dropped = try await client.get("/v2/posts/\(ids[1])").decoded(Post.self)
    #expect(dropped.state == "rejected" && dropped.reason?.code == "dropped")
    #expect(dropped.reason?.detail == "given up by the operator: this worker likes no place")

    #expect(try await queue("retry", ids[0]).said == "\(ids[0]) is back in the queue.")
    #expect(try await client.get("/v2/posts/\(ids[0])").decoded(Post.self).state == "queued")
    // Killed right behind the answer: it is on disk.
    try await map.ingest.restart()
    #expect(try await json(QueueList.self, "ls", "--state", "ready").posts.map(\.id) == [ids[0]])
    #expect(try await json(QueueList.self, "ls").posts.map(\.id) == [ids[0]], "It waits; the other one is dead.")
    let both = try await queue("retry", ids[2], "0000000001", status: 1)
    #expect(both.said == "\(ids[2]) is back in the queue." && both.logged == "There is no post 0000000001.\n")
    _ = try await SystemFixture.current.worker(of: map)
    try await eventually("what was retried is published") {
      try await client.posts().map(\.state) == ["published", "rejected", "published"]
    }
    #expect(try await queue("show", ids[0]).said.contains("retried"))
    #expect(try await queue("show", "0000000001", status: 1).logged.contains("there is no post 0000000001"))
  }

  @Test("All dead posts of a reason are retried at once, and none of them twice")
  func all() async throws {
    let map = try await SystemFixture.current.roles(workers: 0)
    let client = try await map.client.signedUp()
    let jobs = try #require(map.ports.first { $0.name == "jobs" }).port
    _ = try await makeDead(["Oslo", "Lima", "Quito"], client: client, jobs: jobs)
    #expect(try await queue("retry", "--reason", "other").said == "0 posts are back in the queue.")
    _ = try await SystemFixture.current.worker(of: map)
    #expect(try await queue("retry", "--reason", "bad_place").said == "3 posts are back in the queue.")
    #expect(try await queue("retry", "--all").said == "0 posts are back in the queue.")
    try await eventually("all are published") { try await client.posts().allSatisfy { $0.state == "published" } }
    #expect(try await json(QueueStatus.self, "status").dead == 0)
  }

  @Test("A pause holds posts back, over kill -9 too, while they are accepted; resume lets them go")
  func pause() async throws {
    let map = try await SystemFixture.current.roles(workers: 1)
    let client = try await map.client.signedUp()
    try await client.expectService()
    #expect(try await String(decoding: client.get("/readyz").body, as: UTF8.self) == "ready\n")
    #expect(try await queue("pause").said.hasPrefix("The queue is paused since "))
    for place in ["Oslo", "Lima"] { #expect(try await client.post(place, wait: 1)["state"] == "queued") }
    let lookup = try await client.get("/v2/geocode?q=Oslo")
    #expect(lookup.status == 503 && lookup["detail"]?.contains("paused") == true)

    try await map.ingest.restart()
    try await eventually("the worker has joined, with credit, and gets nothing") {
      let status = try await json(QueueStatus.self, "status")
      #expect(status.paused && status.ready == 2 && status.leased == 0)
      return status.workers.first?.credit ?? 0 > 0
    }
    #expect(try await String(decoding: client.get("/readyz").body, as: UTF8.self).contains("paused since"))
    #expect(try await queue("status").said.hasPrefix("queue     PAUSED for "))
    #expect(try await client.post("Quito").status == 202)
    #expect(try await queue("resume").said == "The queue goes on.")
    try await eventually("all are published") { try await client.posts().allSatisfy { $0.state == "published" } }
    #expect(try await client.posts().count == 4)
    try await client.expectService()
    try await map.ingest.restart()
    try await client.expectService()
  }

  @Test("Only its owner may open the socket; without ingest, and at another's, it is said what to do")
  func socket() async throws {
    let map = try await SystemFixture.current.up()
    let path = SystemFixture.current.path("data/admin.sock")
    var info = stat()
    #expect(stat(path, &info) == 0 && info.st_mode & 0o777 == 0o600)
    #expect(stat(SystemFixture.current.path("data"), &info) == 0 && info.st_mode & 0o777 == 0o700)
    try await map.ingest.kill()
    for arguments in [["queue", "status"], ["top"]] {
      let ran = try await SystemFixture.current.run(arguments + ["--data", SystemFixture.current.path("data")])
      #expect(ran.status == 1 && ran.said.isEmpty && ran.logged.contains("No ingest listens at \(path)"))
    }
  }

  @Test("Another address of this host serves too, one that others reach is refused")
  func address() async throws {
    let address = "tcp://127.0.0.1:\(try Port.free())"
    _ = try await SystemFixture.current.up("--admin", address)
    #expect(!FileManager.default.fileExists(atPath: SystemFixture.current.path("data/admin.sock")))
    let ran = try await SystemFixture.current.run("queue", "status", environment: ["ONTHEMAP_ADMIN": address])
    #expect(ran.status == 0 && ran.said.contains("worker-1"))
    // An abstract socket has no permissions.
    for open in ["tcp://0.0.0.0:7703", "tcp://example.org:7703", "ipc://@onthemap", "ipc://*"] {
      let ran = try await SystemFixture.current.run("up", "--data", SystemFixture.current.path("b"), "--admin", open)
      #expect(ran.status == 1 && ran.logged.contains("--admin (ONTHEMAP_ADMIN) must be ipc://PATH"), "\(ran.logged)")
    }
  }

  @Test("Without a terminal top says a line a second, and ends on a signal")
  func top() async throws {
    _ = try await SystemFixture.current.up()
    let data = SystemFixture.current.path("data")
    let ran = try await SystemFixture.current.run("top", "--data", data, "--count", "2")
    let lines = ran.said.split(separator: "\n")
    #expect(ran.status == 0 && lines.count == 2 && lines.allSatisfy { $0.contains(" running depth=0 ") })
    let program = try SystemFixture.current.program(["top", "--json", "--data", data])
    try program.start()
    try await eventually("it says something") { !program.standardOutput.isEmpty }
    let status = try JSONDecoder().decode(QueueStatus.self, from: Data(program.standardOutput.split(separator: "\n")[0].utf8))
    #expect(status.workers.map(\.name).sorted() == ["worker-1", "worker-2"])
    program.signal(SIGINT)
    #expect(try await program.exit() == 0)
  }

  @Test(
    "What cannot be meant is refused before ingest is asked",
    arguments: [
      (["ls", "--state", "lost"], "ready, leased, settling, delayed, waiting, dead"),
      (["ls", "--limit", "0"], "1 to 1000"), (["ls", "--limit", "1001"], "1 to 1000"),
      (["ls", "--after", "x"], "\"x\" is not the id"), (["ls", "--state", "ready", "--reason", "x"], "--state dead"),
      (["show", "x"], "\"x\" is not the id"), (["retry"], "--all"), (["retry", "0000000001", "--all"], "--all"),
      (["retry", "--reason", ""], "--reason"), (["drop"], "ids"), (["drop", "x"], "\"x\" is not the id"),
    ])
  func wrong(arguments: [String], words: String) async throws {
    let ran = try await SystemFixture.current.run(["queue"] + arguments + ["--data", "/nowhere"])
    #expect(ran.status == 64 && ran.said.isEmpty && ran.logged.contains(words), "\(ran.logged)")
  }
}
