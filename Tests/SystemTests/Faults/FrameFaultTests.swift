import Foundation
import Testing

@Suite("Faults: repeated and reordered messages", .fixture, .serialized)
struct FrameFaultTests {
  @Test(
    "Repeated and reordered messages on every link lose and duplicate no post",
    .enabled(if: SQL.isAvailable))
  func duplicatedAndReordered() async throws {
    let fixture = SystemFixture.current
    var map = try await fixture.roles(workers: 0)
    let seed = UInt64.random(in: 1...1_000_000)
    let relays = try ["jobs", "changes", "submit"].map { name in
      let port = try map.ports.first { $0.name == name }?.port ?? 0
      return try FrameRelay(to: "tcp://127.0.0.1:\(port)", seed: seed)
    }
    defer { for relay in relays { relay.end() } }
    for _ in 0..<2 {
      let worker = try fixture.program(["worker", "--ingest", "tcp://127.0.0.1:\(relays[0].port)"])
      try await worker.startAndWait()
      map.workers.append(worker)
    }
    let direct = try #require(map.feed)
    try await direct.kill()
    let feed = try fixture.program([
      "feed", "--ingest", "tcp://127.0.0.1:\(relays[1].port)", "--publish", "tcp://127.0.0.1:\(try Port.free())",
      "--http", "127.0.0.1:\(try Port.free())", "--query", "tcp://127.0.0.1:\(try Port.free())",
      "--data", fixture.path("feed-behind"),
    ])
    try await feed.startAndWait()
    map.feed = feed
    let trial = try await Trial(on: map, submit: "tcp://127.0.0.1:\(relays[2].port)")
    try await trial.ledger.advance(by: Fault.isFull ? 3_000 : 300)
    // A feed under load sends few requests, so wait until every link has repeated a message.
    for _ in 0..<20 where !relays.allSatisfy({ $0.counts.repeated > 0 }) || relays[0].counts.swapped == 0 {
      try await trial.ledger.advance(by: 50)
    }
    for relay in relays { relay.calm() }
    let counts = relays.map(\.counts)
    // Links with one outstanding request cannot reorder messages.
    #expect(counts.allSatisfy { $0.repeated > 0 } && counts[0].swapped > 0, "\(counts)")
    let (repeated, swapped) = (counts.reduce(0) { $0 + $1.repeated }, counts.reduce(0) { $0 + $1.swapped })
    try await trial.expectWhole("\(repeated) messages twice, \(swapped) overtaken, seed \(seed)")
  }
}
