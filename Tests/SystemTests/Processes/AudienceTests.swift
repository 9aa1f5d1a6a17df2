import Foundation
import Testing

/// Tests of subscribers while services are killed. Every run tests 8 subscribers, and `make soak` tests 50.
@Suite("Subscribers that join at random while feed and ingest are killed", .fixture, .serialized)
struct AudienceTests {
  /// The figures in the output of `load --json`.
  private struct Figures: Decodable {
    struct Subscribers: Decodable {
      let count: Int
      let equal: Int
      let wrongLists: Int
      let listReplacements: Int
    }
    struct Failure: Decodable { let reason: String }

    let accepted: Int
    let lost: Int
    let duplicated: Int
    let listEqual: Bool
    let subscribers: Subscribers
    let failures: [Failure]
  }

  /// Kills the feed twice, and ingest once in between. Compares every subscriber's list with the store's.
  private func run(rate: Int, seconds: Int, subscribers: Int) async throws {
    let map = try await SystemFixture.current.roles()
    let feed = try #require(map.feed)
    let load = try SystemFixture.current.program([
      "load", "--server", try map.client.base, "--feed", try map.publish, "--submit", try map.submit, "--rate",
      "\(rate)", "--duration", "\(seconds)", "--subscribers", "\(subscribers)", "--json",
    ])
    try load.start()
    try await eventually("the first posts are published") { try await map.client.list().seq > 0 }
    let begun = ContinuousClock.now
    for (part, victim) in [(1, feed), (2, map.ingest), (3, feed)] {
      try await Task.sleep(until: begun + .seconds(seconds) * part / 4)
      try await victim.restart(after: .milliseconds(300))
    }
    // A run that cannot read the store has no figures, and reports the reason.
    try #require(
      try await load.exit(within: .seconds(seconds + 150)) == 0, "\(load.standardOutput) \(load.standardError)")
    let figures = try JSONDecoder().decode(Figures.self, from: Data(load.standardOutput.utf8))
    #expect(figures.failures.isEmpty)
    #expect(figures.accepted == rate * seconds && figures.lost == 0 && figures.duplicated == 0 && figures.listEqual)
    let seen = figures.subscribers
    #expect(seen.count == subscribers && seen.equal == subscribers && seen.wrongLists == 0)
    let line =
      "\(seen.equal) of \(seen.count) subscribers equal, \(seen.wrongLists) wrong lists, "
      + "\(seen.listReplacements) new lists, at \(rate) changes/s for \(seconds) s\n"
    FileHandle.standardError.write(Data(line.utf8))
  }

  @Test("Every subscriber ends with the store's list and never has a wrong one")
  func few() async throws { try await run(rate: 50, seconds: 8, subscribers: 8) }

  @Test(
    "Fifty subscribers follow 1,000 changes a second for a minute",
    .enabled(if: ProcessInfo.processInfo.environment["SOAK"] != nil, "only with SOAK=1"))
  func many() async throws { try await run(rate: 1_000, seconds: 60, subscribers: 50) }
}
