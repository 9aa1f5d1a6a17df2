import Dispatch
import Domain
import InMemoryLogging
import Logging
import PostgresServer
import Store
import StoreTesting
import Synchronization
import Testing

@testable import PostgresStore

@Suite("Leader and standby", .timeLimit(.minutes(3)))
struct LeaderTests {
  @Test("A deposed leader stores nothing, reports nothing and stops, and the new leader continues its numbers")
  func deposed() async throws {
    let database = try TestDatabase()
    let old = try database.open()
    defer { old.close() }
    let account = try await old.addAccount()
    let before = try await old.published(2, by: account)
    let new = try database.open()
    defer { new.close() }
    #expect(new.generation == old.generation + 1)
    await #expect(throws: StoreError.self) { try await old.accepted("Lima", by: account) }
    let failure = await old.failure()
    #expect("\(try #require(failure))".contains("another ingest has taken over"))
    await #expect(throws: StoreError.self) { try await old.accepted("Lima", by: account) }
    #expect(try await new.count(of: account) == 2)
    let next = try await new.accepted(by: account).id
    #expect(next > before[1])
    #expect(try await new.settled([(next, .verdict(.at(1)))]).map(\.seq) == [3])
    #expect(try new.feed().epoch == old.feed().epoch)
    old.close()
    #expect(try await new.accepted(by: account).id > next, "The old leader's end does not end the new term.")
  }

  @Test("A leader without writes notices by its beat that another ingest leads")
  func idle() async throws {
    let database = try TestDatabase()
    let old = try database.open()
    let new = try database.open()
    defer { new.close() }
    #expect(await old.failure() != nil)
    #expect(new.stopReason == nil)
    old.close()
  }

  @Test("A standby leads as soon as the leader closes, with all of its data")
  func handover() async throws {
    let log = InMemoryLogHandler()
    let database = try TestDatabase(logger: Logger(label: "test") { _ in log })
    let leader = try database.open()
    let account = try await leader.addAccount()
    let (waits, waiting) = AsyncStream.makeStream(of: Int64.self)
    let standby = Task {
      try await PostgresDatabase.lead(database.address, logger: database.logger) { waiting.yield($0) }
    }
    for await term in waits.prefix(1) { #expect(term == Int64(leader.generation)) }
    let id = try await leader.accepted(by: account).id
    leader.close()
    let next = try await standby.value
    defer { next.close() }
    #expect(next.generation == leader.generation + 1)
    #expect(try next.unsettledJobs().map(\.job.id) == [JobID(id)])
    #expect(log.takeovers == ["generation=2 from=1 reason=ended"])
  }

  @Test("A leader that is frozen within a transaction is deposed, and its transaction is not stored")
  func frozen() async throws {
    let database = try TestDatabase()
    let old = try database.open()
    let account = try await old.addAccount()
    let (reached, reaching) = AsyncStream.makeStream(of: Void.self)
    let release = DispatchSemaphore(value: 0)
    let isFirst = Atomic(true)
    let removal = Task {
      try await old.write { connection, _ in
        _ = try connection.query(Statement(once: "DELETE FROM account"))
        guard isFirst.exchange(false, ordering: .relaxed) else { return }
        reaching.yield()
        release.wait()
      }
    }
    for await _ in reached.prefix(1) {}
    let new = try database.open()
    defer { new.close() }
    #expect(try await new.account(account) != nil)
    release.signal()
    await #expect(throws: StoreError.self) { try await removal.value }
    #expect("\(try #require(await old.failure()))".contains("another ingest has taken over"))
    #expect(try await new.accepted(by: account).job != nil)
    old.close()
  }

  @Test("A dump of the database, which locks all tables for reading, delays no start")
  func dump() async throws {
    let database = try TestDatabase()
    try database.open().close()
    let dump = try database.connect()
    try dump.block("BEGIN", within: .seconds(60)) { dump in
      _ = try dump.query(Statement(once: "LOCK TABLE migration, leader, meta, post IN ACCESS SHARE MODE"))
      try database.open().close()
    }
  }

  @Test("A standby leads when the leader is silent")
  func silent() async throws {
    let log = InMemoryLogHandler()
    let database = try TestDatabase(logger: Logger(label: "test") { _ in log })
    let leader = try database.open()
    let account = try await leader.addAccount()
    leader.beat.stop()
    let next = try await PostgresDatabase.lead(database.address, logger: database.logger)
    defer { next.close() }
    #expect(next.generation == leader.generation + 1)
    await #expect(throws: StoreError.self) { try await leader.accepted(by: account) }
    leader.close()
    let text = "standby: the leader has not ended its term: taking over after 5 s of silence"
    let wait = try #require(log.entries.first { "\($0.message)" == text })
    #expect("\(wait.metadata["generation"] ?? "")" == "1")
    #expect(log.takeovers == ["generation=2 from=1 reason=silent"])
  }

  @Test("A start that could not reach the database logs when it can, and takes nothing over without another leader")
  func reachable() async throws {
    let server = try PostgresServer()
    defer { server.stop() }
    let log = InMemoryLogHandler()
    let database = try TestDatabase(on: server, logger: Logger(label: "test") { _ in log })
    server.kill()
    let start = Task { try await PostgresDatabase.lead(database.address, logger: database.logger) }
    let deadline = ContinuousClock.now + .seconds(60)
    while log.entries.isEmpty, ContinuousClock.now < deadline { try await Task.sleep(for: .milliseconds(20)) }
    try server.start()
    try await start.value.close()
    let messages = log.entries.map { "\($0.message)" }
    #expect(messages.first == "cannot reach the database: retrying")
    #expect(messages.count { $0 == "database reachable again" } == 1)
    #expect(log.takeovers.isEmpty)
  }

  @Test("A standby that could not reach the database logs when it can again")
  func reachableStandby() async throws {
    let server = try PostgresServer()
    defer { server.stop() }
    let log = InMemoryLogHandler()
    let database = try TestDatabase(on: server, logger: Logger(label: "test") { _ in log })
    func logged(_ message: String) -> Bool { log.entries.contains { "\($0.message)" == message } }
    // The leader's term has not ended, and its beat stands still.
    try Schema.prepare(database.address)
    try database.sql("UPDATE leader_beat SET is_held = true")
    let (waits, waiting) = AsyncStream.makeStream(of: Int64.self)
    let standby = Task {
      try await PostgresDatabase.lead(database.address, logger: database.logger) { waiting.yield($0) }
    }
    for await _ in waits.prefix(1) {}
    server.kill()
    let deadline = ContinuousClock.now + .seconds(60)
    while !logged("cannot reach the database: retrying"), ContinuousClock.now < deadline {
      try await Task.sleep(for: .milliseconds(20))
    }
    try server.start()
    try await standby.value.close()
    #expect(logged("database reachable again") && log.takeovers == ["generation=1 from=0 reason=silent"])
  }

  @Test("A standby that takes over a database without commits that it has seen begins a new epoch")
  func lostTail() async throws {
    let database = try TestDatabase()
    let leader = try database.open()
    let posts = try await leader.published(3, by: leader.addAccount())
    let epoch = try leader.feed().epoch
    let (waits, waiting) = AsyncStream.makeStream(of: Int64.self)
    let standby = Task {
      try await PostgresDatabase.lead(database.address, logger: database.logger) { waiting.yield($0) }
    }
    for await _ in waits.prefix(1) {}
    // A promoted standby server that lacked the last commit would look like this.
    try database.sql(
      "DELETE FROM outcome WHERE id = \(posts[2].rawValue); DELETE FROM post WHERE id = \(posts[2].rawValue)")
    leader.close()
    let next = try await standby.value
    defer { next.close() }
    #expect(try next.feed().epoch != epoch && next.feed().entries.map(\.id) == [posts[1], posts[0]])
  }

  @Test("Only one of several standbys leads, and a cancelled standby ends")
  func several() async throws {
    let database = try TestDatabase()
    let leader = try database.open()
    let (leads, leading) = AsyncStream.makeStream(of: PostgresDatabase.self)
    let (waits, waiting) = AsyncStream.makeStream(of: Void.self)
    let standbys = (0..<3).map { _ in
      Task {
        leading.yield(
          try await PostgresDatabase.lead(database.address, logger: database.logger) { _ in waiting.yield() })
      }
    }
    for await _ in waits.prefix(3) {}
    leader.close()
    for await next in leads.prefix(1) {
      let account = try await next.addAccount()
      _ = try await next.accepted(by: account)
      var cancelled = 0
      for standby in standbys {
        standby.cancel()
        if case .failure(let error) = await standby.result, error is CancellationError { cancelled += 1 }
      }
      #expect(cancelled == 2 && next.generation == leader.generation + 1 && next.stopReason == nil)
      next.close()
    }
  }
}

extension InMemoryLogHandler {
  /// The metadata of the lines about takeovers.
  fileprivate var takeovers: [String] {
    entries.filter { "\($0.message)" == "took over" }.map { entry in
      ["generation", "from", "reason"].map { "\($0)=\(entry.metadata[$0].map { "\($0)" } ?? "")" }
        .joined(separator: " ")
    }
  }
}

extension PostReader {
  /// The number of an account's posts, counted up to 100.
  func count(of account: AccountID) async throws -> Int {
    try await posts(of: account, PostFilter(), isNewestFirst: false, after: nil, limit: 100, for: .ingest).posts.count
  }
}
