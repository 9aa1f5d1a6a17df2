import Foundation
import Testing

/// Many subscribers while services die: for each change a few of them in every run, all of them in `make soak`.
@Suite("Subscribers that come at random, while feed and ingest are killed", .stage, .serialized)
struct AudienceTests {
  /// What `load --json` says of them.
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

  /// Kills the feed twice and ingest once, in between, and holds every subscriber's list against the store's.
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
    // A run that could not read the store has no figures, and says why.
    try #require(try await load.exit(within: .seconds(seconds + 150)) == 0, "\(load.standardOutput) \(load.standardError)")
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

  @Test("All end with the store's list, and none has ever had a wrong one")
  func few() async throws { try await run(rate: 50, seconds: 8, subscribers: 8) }

  @Test(
    "Fifty at 1,000 changes a second for a minute",
    .enabled(if: ProcessInfo.processInfo.environment["SOAK"] != nil, "only with SOAK=1"))
  func many() async throws { try await run(rate: 1_000, seconds: 60, subscribers: 50) }
}
