import Foundation
import Glibc
import Testing

@Suite("Faults: stopped processes, clocks and restart storms", .fixture, .serialized)
struct PauseFaultTests {
  /// The role that stops for longer than the timeouts of its peers.
  enum PausedRole: String, CaseIterable, Sendable {
    case worker, feed, ingest, everyWorkerBeyondItsLease

    var seconds: Int {
      switch self {
      case .worker, .feed: 8
      case .ingest: 9
      case .everyWorkerBeyondItsLease: 35
      }
    }

    func programs(of map: Services) -> [Program] {
      switch self {
      case .worker: [map.workers[0]]
      case .feed: map.feed.map { [$0] } ?? []
      case .ingest: [map.ingest]
      case .everyWorkerBeyondItsLease: map.workers
      }
    }
  }

  @Test(
    "A role stopped beyond its timeout recovers, and no post is lost or duplicated",
    .enabled(if: SQL.isAvailable), arguments: Fault.isFull ? PausedRole.allCases : [.worker])
  func standstill(sleeper: PausedRole) async throws {
    let trial = try await Trial(on: SystemFixture.current.roles())
    let programs = sleeper.programs(of: trial.map)
    for program in programs { program.signal(SIGSTOP) }
    for program in programs { try await program.waitUntilStopped() }
    try await Task.sleep(for: .seconds(sleeper.seconds))
    func isMissed() -> Bool { trial.map.ingest.standardError.contains("worker lost") }
    if sleeper != .feed, sleeper != .ingest { try await eventually("ingest reports the worker lost") { isMissed() } }
    for program in programs { program.signal(SIGCONT) }
    if sleeper == .ingest {
      let known = try await Set(trial.client.posts().map(\.id))
      // Ingest checks its workers before it settles a later post.
      try await eventually("ingest settles a later post") {
        try await trial.client.posts().contains { !known.contains($0.id) && $0.state != "queued" }
      }
      #expect(!isMissed(), "Ingest must not blame the workers for its own pause.")
    }
    try await trial.expectWhole("\(sleeper) stood still for \(sleeper.seconds) s", settledWithin: .seconds(35))
  }

  @Test("A stopped worker holds the jobs of its window and no more", .enabled(if: SQL.isAvailable))
  func window() async throws {
    let map = try await SystemFixture.current.roles(workers: 1)
    let client = try await map.client.signedUp()
    map.workers[0].signal(SIGSTOP)
    let producer = Producer(try map.submit, token: client.token)
    let drafts = (0..<200).map { Draft(key: "\($0)") }
    #expect(try await producer.submit(drafts).receipts.allSatisfy { $0.outcome == .accepted })
    struct Status: Decodable {
      let leased: Int
      let ready: Int
    }
    func status() async throws -> Status {
      let ran = try await SystemFixture.current.run("queue", "status", "--json", "--data", Trial.data)
      return try JSONDecoder().decode(Status.self, from: Data(ran.output.utf8))
    }
    try await eventually("the worker's window is full") { try await status().leased == 64 }
    for _ in 0..<3 {
      let status = try await status()
      #expect(status.leased <= 64 && status.leased + status.ready == 200)
    }
    map.workers[0].signal(SIGCONT)
    try await eventually("all posts are published") { try await client.list().seq == 200 }
  }

  /// Offsets of wrong clocks.
  static let offsets = ["+2h", "-2h", "+3d", "-3d"]

  @Test(
    "A clock that is hours or days off and jumps back loses and duplicates no post",
    .enabled(if: SQL.isAvailable), .enabled(if: WrongClock.isAvailable, "faketime is missing: make setup-test"),
    .enabled(if: Fault.isFull, Fault.full), arguments: offsets)
  func clock(offset: String) async throws {
    let trial = try await Trial(on: SystemFixture.current.roles())
    let roles = [trial.map.ingest, trial.map.workers[0], try #require(trial.map.feed)]
    let clock = try WrongClock(offset)
    for role in roles {
      try await role.kill()
      try await role.startAndWait(under: clock.command)
      try await trial.ledger.advance(by: 30)
    }
    let fakedMs = Date().timeIntervalSince1970 * 1_000
    let response = try await trial.client.get("/v2/posts?limit=1000")
    let last = try #require((response.object["posts"] as? [[String: Any]])?.last?["createdAt"] as? String)
    let created = try #require(ISO8601DateFormatter.withMilliseconds.date(from: last)).timeIntervalSince1970 * 1_000
    #expect(abs(created - fakedMs) > 3_600_000, "The clock was not changed: \(last).")
    for role in roles { try await role.restart() }
    try await trial.expectWhole("clocks at \(offset) and back")
  }

  @Test(
    "Repeated restarts of workers and feed lose and duplicate no post and cause no lasting storm",
    .enabled(if: SQL.isAvailable), .enabled(if: Fault.isFull, Fault.full))
  func storm() async throws {
    let trial = try await Trial(on: SystemFixture.current.roles(workers: 4))
    let victims = trial.map.workers + [try #require(trial.map.feed)]
    for _ in 0..<10 {
      for victim in victims { try await victim.kill() }
      for victim in victims { try victim.start() }
      for victim in victims { try await eventually("\(victim) is ready") { !victim.ready.isEmpty } }
      try await trial.ledger.advance(by: 5)
    }
    try await trial.expectWhole("10 storms of \(victims.count) restarts")
  }
}

extension ISO8601DateFormatter {
  /// The API's format of times.
  fileprivate static var withMilliseconds: ISO8601DateFormatter {
    let formatter = ISO8601DateFormatter()
    formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
    return formatter
  }
}
