import Foundation
import Testing

@Suite("Faults: messages twice and out of order", .stage, .serialized)
struct FrameFaultTests {
  @Test(
    "Every link repeats messages and lets them overtake each other: nothing is lost or doubled",
    .enabled(if: SQL.isAvailable))
  func twiceAndSwapped() async throws {
    let stage = SystemFixture.current
    var map = try await stage.roles(workers: 0)
    let seed = UInt64.random(in: 1...1_000_000)
    let relays = try ["jobs", "changes", "submit"].map { name in
      let port = try map.ports.first { $0.name == name }?.port ?? 0
      return try FrameRelay(to: "tcp://127.0.0.1:\(port)", seed: seed)
    }
    defer { for relay in relays { relay.end() } }
    for _ in 0..<2 {
      let worker = try stage.program(["geocoder", "--ingest", "tcp://127.0.0.1:\(relays[0].port)"])
      try await worker.startAndWait()
      map.workers.append(worker)
    }
    let direct = try #require(map.feed)
    try await direct.kill()
    let feed = try stage.program([
      "feed", "--ingest", "tcp://127.0.0.1:\(relays[1].port)", "--publish", "tcp://127.0.0.1:\(try Port.free())",
      "--http", "127.0.0.1:\(try Port.free())", "--query", "tcp://127.0.0.1:\(try Port.free())",
      "--data", stage.path("feed-behind"),
    ])
    try await feed.startAndWait()
    map.feed = feed
    let trial = try await Trial(on: map, submit: "tcp://127.0.0.1:\(relays[2].port)")
    try await trial.ledger.advance(by: Fault.isFull ? 3_000 : 300)
    // A feed asks seldom when much comes at once: until each link has had its trouble.
    for _ in 0..<20 where !relays.allSatisfy({ $0.counts.repeated > 0 }) || relays[0].counts.swapped == 0 {
      try await trial.ledger.advance(by: 50)
    }
    for relay in relays { relay.calm() }
    let counts = relays.map(\.counts)
    // Where each waits for its answer before it asks again, nothing can be overtaken.
    #expect(counts.allSatisfy { $0.repeated > 0 } && counts[0].swapped > 0, "\(counts)")
    let (repeated, swapped) = (counts.reduce(0) { $0 + $1.repeated }, counts.reduce(0) { $0 + $1.swapped })
    try await trial.expectWhole("\(repeated) messages twice, \(swapped) overtaken, seed \(seed)")
  }
}
