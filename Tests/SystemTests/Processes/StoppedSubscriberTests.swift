import Foundation
import Testing

/// A subscriber that does not read costs the feed a bounded amount of memory, and the others lose nothing. Every run
/// tests this at a rate that any machine carries. `make soak` tests it at 1,000 changes a second, and judges latency.
@Suite("A subscriber that stands still, and a client of the stream that never reads", .stage, .serialized)
struct StoppedSubscriberTests {
  private struct Figures: Decodable {
    struct Latency: Decodable { let p99: Double }
    let postToSubscriberMs: Latency
    let listEqual: Bool
  }

  /// How long posts take to a subscriber, p99 in ms.
  private func latency(_ map: Services, rate: Int, seconds: Int) async throws -> Double {
    let (status, said, logged) = try await SystemFixture.current.run(
      [
        "load", "--server", try map.client.base, "--feed", try map.publish, "--submit", try map.submit, "--rate",
        "\(rate)", "--duration", "\(seconds)", "--json",
      ], within: .seconds(seconds + 150))
    #expect(status == 0, "\(logged)")
    let figures = try JSONDecoder().decode(Figures.self, from: Data(said.utf8))
    #expect(figures.listEqual)
    return figures.postToSubscriberMs.p99
  }

  private func residentBytes(of feed: Int, _ map: Services) async throws -> Double {
    try await Scrape(map.operations[feed])["process_resident_memory_bytes"]
  }

  /// - Parameter slackMs: difference in latency, in milliseconds, that two runs may have anyway. Nil where other
  ///   programs use the machine: then no latency is judged.
  private func run(rate: Int, seconds: Int, slackMs: Double? = nil) async throws {
    let map = try await SystemFixture.current.roles()
    let calm = try await latency(map, rate: rate, seconds: seconds)
    let watcher = try await SystemFixture.current.watcher(of: map)
    watcher.program.signal(SIGSTOP)
    let mute = try await EventStream(try map.feedClient, receiveBuffer: 4_096)
    try await mute.read(until: "it has a list") { $0.list != nil }
    let first = try #require(mute.list)
    let before = try await residentBytes(of: 1, map)
    let burdened = try await latency(map, rate: rate, seconds: seconds)
    let growth = try await residentBytes(of: 1, map) - before
    if let slackMs { #expect(burdened <= 2 * calm + slackMs, "calm \(calm) ms, with both \(burdened) ms") }
    // 128 frames for the one, one event for the other, and what libraries keep.
    #expect(growth < 32_000_000)
    watcher.program.signal(SIGCONT)
    try await eventually("who stood still has the list") {
      try await watcher.list == map.client.list()
    }
    let list = try await map.client.list()
    #expect(first.seq < list.seq)
    let again = try await EventStream(try map.feedClient, lastID: mute.lastID, list: first)
    try await again.read(until: "who never read has the list when it comes again") { $0.list == list }
    // What had been sent to it comes first. It may have been cut off: then nobody has told it the rest.
    try await mute.read(until: "who goes on reading has the list, or the end") { $0.list == list || $0.isOver }
    let resumed = try await EventStream(try map.feedClient, lastID: mute.lastID, list: mute.list)
    try await resumed.read(until: "it is right where it stands") { $0.list == list && $0.isStale == false }
    let line = "p99 \(calm) ms calm, \(burdened) ms with both; the feed grew by \(growth / 1_000_000) MB\n"
    FileHandle.standardError.write(Data(line.utf8))
  }

  @Test("The others get every change, the feed's memory is bounded, and both have the list again when they go on")
  func few() async throws { try await run(rate: 50, seconds: 5) }

  @Test(
    "The same at 1,000 changes a second",
    .enabled(if: ProcessInfo.processInfo.environment["SOAK"] != nil, "only with SOAK=1"))
  func many() async throws { try await run(rate: 1_000, seconds: 20, slackMs: 5) }
}
