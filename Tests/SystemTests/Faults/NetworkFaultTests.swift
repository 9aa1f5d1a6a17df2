import Foundation
import Testing

@Suite("Faults: network between the roles", .fixture, .serialized)
struct NetworkFaultTests {
  /// Starts each role in its own process. The only worker and the feed reach ingest through relays.
  private func relayed() async throws -> (map: Services, jobs: Relay, changes: Relay) {
    let fixture = SystemFixture.current
    var map = try await fixture.roles(workers: 0)
    let ports = Dictionary(uniqueKeysWithValues: try map.ports.map { ($0.name, $0.port) })
    let (jobs, changes) = (try Relay(to: ports["jobs"] ?? 0), try Relay(to: ports["changes"] ?? 0))
    let worker = try fixture.program(["worker", "--ingest", "tcp://127.0.0.1:\(jobs.port)"])
    try await worker.startAndWait()
    map.workers = [worker]
    // Replace the directly connected feed by a feed behind the relay, on the same ports.
    let old = try #require(map.feed)
    var arguments = old.arguments
    try await old.kill()
    let place = try #require(arguments.firstIndex(of: "--ingest"))
    arguments[place + 1] = "tcp://127.0.0.1:\(changes.port)"
    let feed = try fixture.program(arguments)
    try await feed.startAndWait()
    map.feed = feed
    return (map, jobs, changes)
  }

  enum Trouble: String, CaseIterable, Sendable {
    case blackHole, repliesLost, requestsLost, reset, flapping

    var mode: Relay.Mode {
      switch self {
      case .blackHole, .flapping: .hold
      case .repliesLost: .holdReplies
      case .requestsLost: .holdRequests
      case .reset: .reset
      }
    }
  }

  @Test(
    "A network fault of any kind between the roles loses and duplicates no post",
    .enabled(if: SQL.isAvailable), arguments: Fault.isFull ? Trouble.allCases : [.reset])
  func trouble(trouble: Trouble) async throws {
    let (map, jobs, changes) = try await relayed()
    defer {
      jobs.end()
      changes.end()
    }
    let trial = try await Trial(on: map)
    for round in 0..<(trouble == .flapping ? 6 : 1) {
      for relay in [jobs, changes] { relay.mode = trouble.mode }
      // Longer than the liveness timeout of either end. When the link flaps, some periods are longer and some shorter.
      let long = Fault.isFull ? 10_000 : 3_000
      try await Task.sleep(for: .milliseconds(trouble == .flapping ? 200 + 300 * round : long))
      if trouble == .reset {
        try await eventually("connections are reset") { jobs.counts.resets > 0 && changes.counts.resets > 0 }
      }
      for relay in [jobs, changes] { relay.mode = .pass }
      // Between two periods, some posts are accepted.
      if trouble == .flapping { try await trial.ledger.advance(by: 1) }
    }
    let (first, second) = (jobs.counts, changes.counts)
    if trouble != .reset { #expect(first.heldMost > 0 || second.heldMost > 0, "The relay must hold bytes back.") }
    try await trial.expectWhole(
      "\(trouble), \(first.resets + second.resets) resets, \(max(first.heldMost, second.heldMost)) bytes held",
      settledWithin: .seconds(30))
  }

  @Test(
    "A pulled cable between network namespaces loses and duplicates no post", .enabled(if: SQL.isAvailable),
    .enabled(if: Fault.isFull, Fault.full),
    .enabled(if: Cable.isAvailable, "network namespaces need root and ip(8)"))
  func partition() async throws {
    let cable = try Cable()
    defer { cable.end() }
    let fixture = SystemFixture.current
    let (jobs, changes) = (try Port.free(), try Port.free())
    let ingest = try fixture.program([
      "ingest", "--data", fixture.path("data"), "--http", "127.0.0.1:\(try Port.free())", "--jobs",
      "tcp://\(Cable.here):\(jobs)", "--changes", "tcp://\(Cable.here):\(changes)", "--submit",
      "tcp://127.0.0.1:\(try Port.free())", "--allow-plaintext", "jobs,changes",
    ])
    try await ingest.startAndWait()
    // The feed stays in this namespace, so that the subscriber reaches it.
    let feed = try fixture.program([
      "feed", "--ingest", "tcp://\(Cable.here):\(changes)", "--publish", "tcp://127.0.0.1:\(try Port.free())", "--http",
      "127.0.0.1:\(try Port.free())", "--query", "tcp://127.0.0.1:\(try Port.free())", "--data", fixture.path("feed"),
    ])
    try await feed.startAndWait()
    let worker = try fixture.program(["worker", "--ingest", "tcp://\(Cable.here):\(jobs)"])
    try await worker.startAndWait(under: cable.command)
    let trial = try await Trial(on: Services(feed: feed, workers: [worker], ingest: ingest))
    let settled = try await trial.client.list().seq
    try cable.set(isIn: false)
    try await eventually("ingest reports the worker lost") { ingest.standardError.contains("worker lost") }
    let before = try await trial.client.list().seq
    try await trial.ledger.advance(by: 20)
    #expect(before >= settled)
    #expect(try await trial.client.list().seq <= before + 1, "The cable must be out.")
    try cable.set(isIn: true)
    try await trial.expectWhole("the cable out and in again", settledWithin: .seconds(30))
  }
}

/// A pair of virtual network devices, with one end in its own namespace.
struct Cable: Sendable {
  static let here = "10.251.77.1"
  private static let there = "10.251.77.2"
  static let isAvailable = Fault.isRoot && (try? Cable()).map { $0.end() } != nil

  private let name: String
  private var device: String { name + "a" }

  init() throws {
    name = "otm\(UInt16.random(in: 1_000...9_999))"
    let (space, a, b) = (name, name + "a", name + "b")
    do {
      try Cable.ip("netns", "add", space)
      try Cable.ip("link", "add", a, "type", "veth", "peer", "name", b, "netns", space)
      try Cable.ip("addr", "add", Cable.here + "/30", "dev", a)
      try Cable.ip("link", "set", a, "up")
      try Cable.ip("-n", space, "addr", "add", Cable.there + "/30", "dev", b)
      try Cable.ip("-n", space, "link", "set", b, "up")
      try Cable.ip("-n", space, "link", "set", "lo", "up")
    } catch {
      end()
      throw error
    }
  }

  /// The command under which a program starts in the namespace.
  var command: [String] { ["ip", "netns", "exec", name] }

  func set(isIn: Bool) throws { try Cable.ip("link", "set", device, isIn ? "up" : "down") }

  func end() {
    _ = try? Fault.command("ip", "link", "del", device)
    _ = try? Fault.command("ip", "netns", "del", name)
  }

  private static func ip(_ arguments: String...) throws {
    let joined = arguments.joined(separator: " ")
    let (status, output) = try Fault.command("sh", "-c", "ip " + joined)
    guard status == 0 else { throw TimeoutError(description: "ip \(joined): \(output)") }
  }
}
