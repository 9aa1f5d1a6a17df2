import Domain
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Benchmark of the release's feed process with real subscribers and changes of the bench.
struct FeedBench {
  let folder: URL
  let seconds: Int
  let yardsticks: FeedBaselines?
  private static let subscribers = 1_000

  func measure(into table: inout Table) async throws {
    try snapshots(&table)
    try deltas(&table)
    try await streams(&table)
    try await list(&table)
    try await latency(&table)
  }

  /// Measures snapshots of 20,000 bytes to all subscribers and to late joiners.
  private func snapshots(_ table: inout Table) throws {
    let stage = try BenchFeed(folder: folder, entry: .usual)
    let swarm = try Swarm<ZMTPStream>(counting: .messages)
    for _ in 0..<FeedBench.subscribers {
      try swarm.add(ZMTPStream.connect(port: stage.publishPort, topics: ["otm.feed/1/main/s/"]))
    }
    let publish = { stage.put() }
    try FeedBench.awaitAll(of: swarm, publish: publish)
    // After this pause the feed publishes a snapshot immediately after a change.
    let waves = try ClosedLoop(
      swarm, of: stage.feed, window: 1, restMs: Limits.snapshotIntervalMinMs + 10, seconds: seconds, publish: publish)
    table.add("feed: snapshot bytes", waves.bytesPerMessage)
    table.add("feed: snapshot to 1,000 p50 ms", waves.took.p50)
    table.add("feed: snapshot to 1,000 p99 ms", waves.took.p99)
    table.add("feed: snapshot to 1,000 CPU us a delivery", waves.cpuMicroseconds)
    let joined = try lateJoins(stage)
    table.add("feed: late joiner, 1,000 connected, p50 ms", joined.p50)
    table.add("feed: late joiner, 1,000 connected, p99 ms", joined.p99)
    guard let raw = try yardsticks?.snapshots(bytes: Int(waves.bytesPerMessage), seconds: seconds) else { return }
    table.add("feed: raw libzmq snapshot to 1,000 p50 ms", raw.p50Ms)
    table.add("feed: raw libzmq snapshot to 1,000 p99 ms", raw.p99Ms)
    table.add("feed: raw libzmq late joiner p99 ms", raw.joinP99Ms)
    table.add("feed: snapshot p50 / raw libzmq", waves.took.p50 / raw.p50Ms)
    table.add("feed: snapshot p99 / raw libzmq", waves.took.p99 / raw.p99Ms)
  }

  /// Measures the times from a connection to its whole list. One joiner after the other connects, so the joins stay
  /// below the rate limit.
  private func lateJoins(_ stage: BenchFeed) throws -> Durations {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
    defer { buffer.deallocate() }
    let ns = try (0..<150).map { number in
      let startNs = Waves.nowNs
      let topics = ["d/", "h/", "j/late\(number)/"].map { "otm.feed/1/main/" + $0 }
      let socket = try ZMTPStream.connect(port: stage.publishPort, topics: topics)
      var stream = ZMTPStream()
      var isListed = false
      while !isListed {
        guard let length = try socket.read(into: buffer), length > 0 else {
          throw BenchError("a late joiner is refused")
        }
        // A heartbeat may arrive first.
        _ = try stream.receive(UnsafeRawBufferPointer(rebasing: buffer[..<length])) { _, size in
          isListed = isListed || size > 10_000
        }
      }
      return Waves.nowNs - startNs
    }
    return Durations(ns: ns)
  }

  /// Measures changes of 200 bytes to all subscribers, with 8 or 64 in flight.
  private func deltas(_ table: inout Table) throws {
    // Changes that arrive while the feed publishes share the next delta, as with ingest.
    let shared = try deltas(alone: false)
    table.add("feed: changes to 1,000 /s", shared.changesPerSecond)
    table.add("feed: changes to 1,000 p99 ms", shared.took.p99)
    table.add("feed: changes in a delta", shared.changesPerMessage)
    let many = try deltas(alone: false, window: 64)
    table.add("feed: changes to 1,000, 64 in flight /s", many.changesPerSecond)
    table.add("feed: changes in a delta, 64 in flight", many.changesPerMessage)
    // One change per delta, to measure the cost of a delta.
    let alone = try deltas(alone: true)
    table.add("feed: bytes of a delta with one change", alone.bytesPerMessage)
    table.add("feed: changes to 1,000, a delta each /s", alone.changesPerSecond)
    table.add("feed: changes to 1,000, a delta each, CPU us a delivery", alone.cpuMicroseconds)
    guard let yardsticks else { return }
    let raw = try yardsticks.deltas(seconds: seconds)
    table.add("feed: raw libzmq 200 bytes to 1,000 /s", raw.deliveriesPerSecond)
    table.add("feed: changes / raw libzmq", shared.changesPerSecond / raw.deliveriesPerSecond)
    table.add("feed: changes, a delta each / raw libzmq", alone.changesPerSecond / raw.deliveriesPerSecond)
    let rawMany = try yardsticks.deltas(window: 64, seconds: seconds)
    table.add("feed: raw libzmq 200 bytes to 1,000, 64 in flight /s", rawMany.deliveriesPerSecond)
    table.add(
      "feed: changes, 64 in flight / raw libzmq", many.changesPerSecond / rawMany.deliveriesPerSecond)
    guard let mosquitto = try yardsticks.mosquittoDeltas(seconds: seconds) else { return }
    table.add("feed: mosquitto 200 bytes to 1,000 /s", mosquitto.deliveriesPerSecond)
    table.add("feed: changes / mosquitto", shared.changesPerSecond / mosquitto.deliveriesPerSecond)
    table.add("feed: changes, a delta each / mosquitto", alone.changesPerSecond / mosquitto.deliveriesPerSecond)
  }

  private func deltas(alone: Bool, window: Int = 8) throws -> ClosedLoop {
    let stage = try BenchFeed(folder: folder, entry: .short, alone: alone)
    let swarm = try Swarm<ZMTPStream>(counting: .numbers)
    for _ in 0..<FeedBench.subscribers {
      try swarm.add(ZMTPStream.connect(port: stage.publishPort, topics: ["otm.feed/1/main/d/"]))
    }
    try FeedBench.awaitAll(of: swarm) { stage.put() }
    return try ClosedLoop(swarm, of: stage.feed, window: window, seconds: seconds) { stage.put() }
  }

  /// Measures changes to all streams, each after the feed's pause between two events.
  private func streams(_ table: inout Table) async throws {
    let stage = try BenchFeed(folder: folder, entry: .usual)
    guard try await FeedBench.hasStream(stage) else { return note("this feed has no /v2/feed/stream: not measured") }
    let swarm = try Swarm<EventStream>(counting: .numbers)
    for count in [1_000, FeedBench.streamsMax] {
      try FeedBench.connectStreams(count, to: stage, swarm)
      swarm.reset()
      var nextNs: UInt64 = 0
      var isOpen = false
      let endNs = Waves.nowNs + UInt64(seconds) * 1_000_000_000
      try swarm.run(within: .seconds(seconds + 30), awaiting: "a change at all streams") { nowNs in
        if swarm.waves.open > 0 { return false }
        if isOpen {
          // The feed pauses for twice the time of its last event, and for at least 50 ms.
          (isOpen, nextNs) = (false, nowNs + max(80_000_000, 2 * (swarm.waves.tookNs.last ?? 0)))
        }
        guard nowNs >= nextNs else { return false }
        if nowNs >= endNs { return true }
        swarm.waves.begin(nowNs: nowNs)
        stage.put()
        isOpen = true
        return false
      }
      let took = Durations(ns: swarm.waves.tookNs)
      table.add("feed: change to \(count) streams p50 ms", took.p50)
      table.add("feed: change to \(count) streams p99 ms", took.p99)
      table.add("feed: memory with \(count) streams MB (PSS)", stage.feed.megabytes)
    }
  }

  /// Compares GETs of the list with a bare handler that sends the same bytes.
  private func list(_ table: inout Table) async throws {
    let stage = try BenchFeed(folder: folder, entry: .usual)
    let url = "http://127.0.0.1:\(stage.httpPort)/v2/feed"
    guard let address = URL(string: url) else { throw BenchError("\(url) is no address") }
    let document = folder.appendingPathComponent("feed.json")
    try await URLSession.shared.data(from: address).0.write(to: document)
    let ours = try HTTPLoad.run(url: url, body: nil, token: nil, connections: 64, seconds: seconds, folder: folder)
    let bare = try BareServer.measure(document: document, folder: folder, connections: 64, seconds: seconds)
    table.add("feed: GET of the list /s", ours.perSecond)
    table.add("feed: bare Hummingbird, same bytes /s", bare.perSecond)
    table.add("feed: GET / bare Hummingbird", ours.perSecond / bare.perSecond)
    guard let nginx = try yardsticks?.nginx(document: document, seconds: seconds) else { return }
    table.add("feed: nginx, same bytes /s", nginx)
    table.add("feed: GET / nginx", ours.perSecond / nginx)
  }

  private func latency(_ table: inout Table) async throws {
    let alone = try await FeedLatency.fromChangeLog(
      BenchFeed(folder: folder, entry: .usual), rate: 2_000, seconds: seconds)
    table.add("feed: committed to subscriber p50 at 2,000/s ms", alone.p50)
    table.add("feed: committed to subscriber p99 at 2,000/s ms", alone.p99)
    let whole = try await FeedLatency.fromIngest(Deployment(folder: folder), rate: 2_000, seconds: seconds)
    table.add("feed: result to subscriber p50 at 2,000/s ms", whole.p50)
    table.add("feed: result to subscriber p99 at 2,000/s ms", whole.p99)
  }
}
