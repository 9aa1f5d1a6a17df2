import Foundation
import Testing

/// The parameters of a soak, from the environment.
private enum Soak {
  static let isWanted = ProcessInfo.processInfo.environment["SOAK"] != nil
  static let rate = number("SOAK_RATE", default: 1_000)
  static let seconds = number("SOAK_SECONDS", default: 20)
  static let count = rate * seconds

  private static func number(_ name: String, default usual: Int) -> Int {
    guard let text = ProcessInfo.processInfo.environment[name], !text.isEmpty else { return usual }
    guard let number = Int(text), number > 0 else { preconditionFailure("\(name) must be a number, not \"\(text)\".") }
    return number
  }
}

/// Long runs for `make soak`. They take too long for every change, and need the machine for themselves.
@Suite("Soak at 1,000 posts a second", .enabled(if: Soak.isWanted, "only with SOAK=1"), .fixture, .serialized)
struct SoakTests {
  /// Timeout for `load`: its duration, and 90 s for retries, queued posts and the final check.
  private static let timeout = Duration.seconds(Soak.seconds + 90)
  /// Time from one kill to the next. Each role is killed at least once, and posts continue after the last kill.
  private static let pace = Duration.seconds(min(5, Double(Soak.seconds) / 4))

  private func expectWhole(_ figures: Load.Figures, of map: Services) async throws {
    #expect(figures.accepted == Soak.count && figures.published == Soak.count)
    #expect(figures.queued == 0 && figures.lost == 0 && figures.duplicated == 0)
    let list = try await map.client.list()
    #expect(list.seq == UInt64(Soak.count) && list.entries.count == 100)
    #expect(figures.listEqual && figures.stateHash == list.stateHash && list.stateHash == list.computedHash)
  }

  @Test("A single process publishes every post once, and the subscriber's list equals the store's")
  func undisturbed() async throws {
    let map = try await SystemFixture.current.up()
    let load = try await SystemFixture.current.load(on: map, rate: Soak.rate, seconds: Soak.seconds)
    try await expectWhole(load.figures(within: Self.timeout), of: map)
  }

  @Test("Killing each role in turn for a second loses and duplicates no accepted post")
  func killed() async throws {
    let map = try await SystemFixture.current.roles()
    let watcher = try await SystemFixture.current.watcher(of: map)
    let load = try await SystemFixture.current.load(on: map, rate: Soak.rate, seconds: Soak.seconds)
    let begun = ContinuousClock.now
    var (restarted, kills) = (begun, 0)
    while Self.pace * (kills + 2) <= .seconds(Soak.seconds) {
      try await Task.sleep(until: begun + Self.pace * (kills + 1))
      let victims = RestartTests.Victim.allCases
      try await victims[kills % victims.count].program(of: map).restart(after: .seconds(1))
      (restarted, kills) = (.now, kills + 1)
    }
    #expect(try await map.client.list().seq < UInt64(Soak.count), "The load must outlast the kills.")
    let figures = try await load.figures(within: Self.timeout)
    // `load` ends when no post is queued.
    let took = restarted.duration(to: .now)
    #expect(took < .seconds(15))
    FileHandle.standardError.write(Data("all posts were settled \(took) after the last of \(kills) restarts\n".utf8))
    try await expectWhole(figures, of: map)
    let list = try await map.client.list()
    try await eventually("the subscriber has ingest's list") { try watcher.list == list }
    try await eventually("the feed has ingest's list") { try await map.feedClient.list() == list }
  }
}
