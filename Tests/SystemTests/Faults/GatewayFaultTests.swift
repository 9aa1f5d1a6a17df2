import Foundation
import Testing

/// Runs of the release behind two gateways, with posts of `onthemap load` over HTTP. A client continues at the other
/// gateway when its connection breaks, as behind a load balancer.
@Suite("Faults: gateways", .enabled(if: Fault.isFull, Fault.full), .fixture, .serialized)
struct GatewayFaultTests {
  /// The errors of a request whose connection broke.
  private static let brokenKinds: Set = [
    "closed before the response", "closed while sending", "connection reset by peer", "broken pipe",
  ]
  /// The error of a connect to a gateway that does not run.
  private static let connectKind = "cannot connect"
  /// The connections of a load by default, of which each gateway has half.
  private static let connectionsOfGateway = 32

  /// A role that is killed, the time of its kill after the start of the run, and the pause before its next start.
  private struct Kill {
    let victim: Program
    let at: Duration
    let pause: Duration
  }

  @Test(
    "Killing a gateway, then ingest, then a feed under 500 posts a second breaks only requests at the killed gateway",
    .enabled(if: SQL.isAvailable), arguments: Fault.seeds)
  func kills(seed: UInt64) async throws {
    let (rate, seconds) = (500, 6)
    let map = try await SystemFixture.current.roles(workers: 1, gateways: 2)
    let other = try await SystemFixture.current.feed(of: map)
    let feeds = [try #require(map.feed), other]
    var random = SeededRandom(seed)
    let times = (0..<3).map { _ in Duration.milliseconds(200 + Int(random.next() % 4_500)) }.sorted()
    let victims = [map.gateways[Int(random.next() % 2)], map.ingest, feeds[Int(random.next() % 2)]]
    let kills = zip(victims, times).map { victim, at in
      Kill(victim: victim, at: at, pause: .milliseconds(Int(random.next() % 500)))
    }

    let load = try await SystemFixture.current.load(on: map, rate: rate, seconds: seconds)
    let begun = ContinuousClock.now
    try await withThrowingTaskGroup { group in
      for kill in kills {
        group.addTask {
          // The seed chooses the times of the faults and their durations.
          try await Task.sleep(until: begun + kill.at)
          kill.victim.signal(SIGKILL)
          #expect(try await kill.victim.exit() == -SIGKILL, "The kill must end the role.")
          #expect(load.program.pid != nil, "The load must outlast the kills.")
          try await Task.sleep(for: kill.pause)
          try await kill.victim.startAndWait()
        }
      }
      try await group.waitForAll()
    }
    let figures = try await load.figures(within: .seconds(180))
    expectWhole(figures, count: rate * seconds)
    let broken = figures.errorKinds.filter { $0.key != Self.connectKind }
    #expect(Set(broken.keys).isSubset(of: Self.brokenKinds), "\(figures.errorKinds)")
    let count = broken.values.reduce(0, +)
    #expect(count <= Self.connectionsOfGateway, "More requests broke than were open at the killed gateway.")
    try await expectEqualLists(map, feeds: feeds, hash: figures.stateHash)
    Fault.printLine(
      "FAULT_SEED=\(seed): gateway, ingest, feed killed after \(times.map(\.description).joined(separator: ", ")); "
        + "\(figures.accepted) posts accepted and published once, \(count) requests broke, "
        + "slowest answer \(Int(figures.acceptMs.max)) ms")
  }

  @Test(
    "Two upgrades of every service under 1,000 posts a second refuse no connection and no request",
    .enabled(if: SQL.isAvailable))
  func upgrade() async throws {
    let (rate, seconds, pace) = (1_000, 30, Duration.seconds(2))
    let map = try await SystemFixture.current.roles(workers: 1, gateways: 2, holdsSockets: true)
    let feed = try #require(map.feed)
    let load = try await SystemFixture.current.load(on: map, rate: rate, seconds: seconds)
    let begun = ContinuousClock.now
    var slowest = Duration.zero
    let services = [map.workers[0], feed, map.ingest] + map.gateways
    for (number, service) in (services + services).enumerated() {
      // The pace of the upgrades.
      try await Task.sleep(until: begun + pace * number)
      let stopped = ContinuousClock.now
      service.signal(SIGTERM)
      #expect(try await service.exit() == 0)
      try await service.startAndWait()
      try await service.waitUntilReady()
      slowest = max(slowest, stopped.duration(to: .now))
    }
    #expect(load.program.pid != nil, "The load must outlast the upgrades.")
    let figures = try await load.figures(within: .seconds(seconds + 180))
    expectWhole(figures, count: rate * seconds)
    // An answer after the client's timeout counts here too.
    #expect(figures.errorKinds.isEmpty, "\(figures.errorKinds)")
    try await expectEqualLists(map, feeds: [feed], hash: figures.stateHash)
    let latencies = figures.acceptMs
    if Fault.isFull { #expect(latencies.max < 5_000, "Clients must not wait longer for a restart.") }
    Fault.printLine(
      "two upgrades of five services at \(rate) posts/s, slowest restart \(slowest): \(figures.accepted) posts "
        + "accepted and published once, \(figures.errorKinds.values.reduce(0, +)) refused connections and failed "
        + "requests; answers p50 \(latencies.p50) ms, p99 \(latencies.p99) ms, slowest \(latencies.max) ms")
  }

  /// Expects every post to be accepted, stored once and published once.
  private func expectWhole(_ figures: Load.Figures, count: Int) {
    #expect(figures.accepted == count && figures.published == count)
    #expect(figures.refused == 0 && figures.unanswered == 0 && figures.queued == 0)
    #expect(figures.lost == 0 && figures.duplicated == 0 && figures.listEqual)
  }

  /// Expects all feeds to have the store's list, and ends ingest to check the tables.
  private func expectEqualLists(_ map: Services, feeds: [Program], hash: String?) async throws {
    let list = try await map.client.list()
    #expect(list.stateHash == list.computedHash && list.stateHash == hash)
    for feed in feeds {
      let client = Client(try #require(feed.ready["feed-http"]))
      try await eventually("\(feed) has ingest's list") { try await client.list() == list }
    }
    map.ingest.signal(SIGTERM)
    #expect(try await map.ingest.exit() == 0)
    #expect(try Ledger.violations(in: Trial.data) == [])
  }
}
