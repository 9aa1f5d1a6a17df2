import Foundation
import Testing

/// Tests with a subscriber and a stream client that do not read. The feed's memory stays bounded, and other subscribers
/// lose nothing. Every run tests 50 changes a second. `make soak` tests 1,000 changes a second, and also the latency.
@Suite("Stopped subscriber and stream client", .fixture, .serialized)
struct StoppedSubscriberTests {
  private struct Figures: Decodable {
    struct Latency: Decodable { let p99: Double }
    let postToSubscriberMs: Latency
    let listEqual: Bool
  }

  /// Returns the p99 latency from post to subscriber, in ms.
  private func latency(_ map: Services, rate: Int, seconds: Int) async throws -> Double {
    let (status, output, log) = try await SystemFixture.current.run(
      [
        "load", "--server", try map.client.base, "--feed", try map.publish, "--submit", try map.submit, "--rate",
        "\(rate)", "--duration", "\(seconds)", "--json",
      ], within: .seconds(seconds + 150))
    #expect(status == 0, "\(log)")
    let figures = try JSONDecoder().decode(Figures.self, from: Data(output.utf8))
    #expect(figures.listEqual)
    return figures.postToSubscriberMs.p99
  }

  private func residentBytes(of feed: Int, _ map: Services) async throws -> Double {
    try await Scrape(map.operations[feed])["process_resident_memory_bytes"]
  }

  /// - Parameter slackMs: Allowed difference in latency between two runs, in milliseconds. Nil if other programs use
  /// the machine: then the latency is not checked.
  private func run(rate: Int, seconds: Int, slackMs: Double? = nil) async throws {
    let map = try await SystemFixture.current.roles()
    let calm = try await latency(map, rate: rate, seconds: seconds)
    let watcher = try await SystemFixture.current.watcher(of: map)
    watcher.program.signal(SIGSTOP)
    let mute = try await EventStream(try map.feedClient, receiveBuffer: 4_096)
    try await mute.read(until: "the client has a list") { $0.list != nil }
    let first = try #require(mute.list)
    let before = try await residentBytes(of: 1, map)
    let burdened = try await latency(map, rate: rate, seconds: seconds)
    let growth = try await residentBytes(of: 1, map) - before
    if let slackMs { #expect(burdened <= 2 * calm + slackMs, "calm \(calm) ms, with both \(burdened) ms") }
    // The feed may keep 128 frames for the subscriber and one event for the client. Libraries keep memory, too.
    #expect(growth < 32_000_000)
    watcher.program.signal(SIGCONT)
    try await eventually("the resumed subscriber has the list") {
      try await watcher.list == map.client.list()
    }
    let list = try await map.client.list()
    #expect(first.seq < list.seq)
    let again = try await EventStream(try map.feedClient, lastID: mute.lastID, list: first)
    try await again.read(until: "a new stream from the first list has the list") { $0.list == list }
    // The client first reads the bytes that were sent before. A client that the feed has disconnected misses the rest.
    try await mute.read(until: "the resumed client has the list or the stream's end") { $0.list == list || $0.isOver }
    let resumed = try await EventStream(try map.feedClient, lastID: mute.lastID, list: mute.list)
    try await resumed.read(until: "the resumed stream is up to date") { $0.list == list && $0.isStale == false }
    let line = "p99 \(calm) ms calm, \(burdened) ms with both; the feed grew by \(growth / 1_000_000) MB\n"
    FileHandle.standardError.write(Data(line.utf8))
  }

  @Test("Other subscribers get every change, memory is bounded, and both clients catch up later")
  func few() async throws { try await run(rate: 50, seconds: 5) }

  @Test(
    "The same bounds hold at 1,000 changes a second",
    .enabled(if: ProcessInfo.processInfo.environment["SOAK"] != nil, "only with SOAK=1"))
  func many() async throws { try await run(rate: 1_000, seconds: 20, slackMs: 5) }
}
