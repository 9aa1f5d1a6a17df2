import CZeroMQ
import Glibc
import Testing

@testable import Domain
@testable import Messaging

@Suite("Send buffer limit", .serialized)
struct SendBufferLimitTests {
  /// A full list of the longest entries.
  private static let longest = FeedState(
    epoch: .filled(with: 1), seq: 100, entries: (1...100).reversed().map { entry($0, seq: $0) })

  private static func entry(_ number: UInt64, seq: UInt64) -> FeedEntry {
    let longest = FeedEntry.longest(number)
    return FeedEntry(
      id: longest.id, seq: seq, account: longest.account, firstName: longest.firstName, lastName: longest.lastName,
      place: longest.place, label: longest.label, countryCode: longest.countryCode, link: longest.link,
      coordinate: longest.coordinate, agreement: longest.agreement, createdMs: 0, updatedMs: 0)
  }

  /// The observed effects of the limit.
  private struct Seen {
    var ticks = 0
    var unbinds = 0
    var isWithinLimit = true
  }

  /// A bound socket with as many unread bytes as a test wants.
  private final class BufferingSocket: ReactorSocket {
    let socket: Socket
    private let frameSizes: CommandQueue<[Int]>
    private let unread: SendBufferLimit
    private let seen: Shared<Seen>
    private var frames: [SharedFrame] = []

    init(_ context: Reactor.Context, bytesMax: Int, frameSizes: CommandQueue<[Int]>, seen: Shared<Seen>) throws {
      socket = try context.socket(.xpub, frameBytesMax: 100)
      _ = try socket.bind(.anyPort())
      unread = SendBufferLimit(bytesMax, at: socket, .feed, logger: quiet)
      (self.frameSizes, self.seen) = (frameSizes, seen)
    }

    func receive(_ frames: [[UInt8]], nowMs: Int64) {}

    func tick(nowMs: Int64) -> Int64 {
      for sizes in frameSizes.drain() {
        frames = sizes.map { SharedFrame([UInt8](repeating: 7, count: $0), in: unread.memory) }
      }
      let wasBound = socket.isBound
      // The clock is stopped, so that the limit cannot close the connections again after `Limits.unreadFreedMs`.
      _ = unread.tick(nowMs: 1)
      seen.change {
        $0.ticks += 1
        $0.unbinds += wasBound && !socket.isBound ? 1 : 0
        $0.isWithinLimit = unread.isWithinLimit
      }
      return nowMs + 2
    }

    func shutDown() {}
  }

  @Test("One byte above the limit closes the connections, and only once until memory is freed")
  func edge() async throws {
    let (wake, seen) = (WakeupEvent(), Shared(Seen()))
    let frameSizes = CommandQueue<[Int]>(wake)
    let (reactor, _) = try Reactor.start("buffer", wake: wake) { context in
      ([try BufferingSocket(context, bytesMax: 1_000_000, frameSizes: frameSizes, seen: seen)], ())
    }
    defer { reactor.stop() }
    func tenTicks() async throws {
      let before = seen.value.ticks
      try await eventually("ten ticks have run") { seen.value.ticks > before + 10 }
    }
    frameSizes.enqueue([600_000, 400_000])
    try await tenTicks()
    #expect(seen.value.isWithinLimit && seen.value.unbinds == 0)
    frameSizes.enqueue([600_000, 400_000, 1])
    try await eventually("the connections are closed") { seen.value.unbinds == 1 }
    #expect(!seen.value.isWithinLimit)
    frameSizes.enqueue([])
    try await eventually("the memory is within its limit") { seen.value.isWithinLimit }
    try await tenTicks()
    #expect(seen.value.unbinds == 1)
  }

  /// Waits for a condition for at most two minutes, because libzmq closes a port on its own thread. Returns false if
  /// the condition does not hold in time.
  private func waitUntil(_ holds: () -> Bool) async throws -> Bool {
    let end = ContinuousClock.now + .seconds(120)
    while ContinuousClock.now < end {
      if holds() { return true }
      try await Task.sleep(for: .milliseconds(2))
    }
    return false
  }

  @Test("The log has a failed rebind once a minute, and the successful rebind once")
  func blocked() async throws {
    let context = try #require(zmq_ctx_new() as UnsafeMutableRawPointer?)
    defer { zmq_ctx_term(context) }
    let socket = try Socket(.xpub, context: context, number: 1, frameBytesMax: 100, lingerMs: 0)
    defer { socket.close() }
    let endpoint = try socket.bind(.anyPort())
    let log = LineLog()
    let unread = SendBufferLimit(10, at: socket, .feed, logger: log.logger)
    do {
      let frame = SharedFrame([UInt8](repeating: 7, count: 11), in: unread.memory)
      _ = unread.tick(nowMs: 0)
      withExtendedLifetime(frame) {}
    }
    #expect(!socket.isBound)
    func tick(_ nowMs: Int64) -> [Int] {
      _ = unread.tick(nowMs: nowMs)
      return ["rebind failed", "rebind succeeded"].map { log.lines(with: $0).count }
    }
    do {
      let other = try Socket(.xpub, context: context, number: 2, frameBytesMax: 100, lingerMs: 0)
      defer { other.close() }
      try #require(await waitUntil { (try? other.bind(endpoint)) != nil })
      #expect(tick(1_000) == [0, 0])
      #expect(tick(1_001) == [1, 0])
      #expect(tick(61_000) == [1, 0])
      #expect(tick(61_001) == [2, 0])
    }
    #expect(try await waitUntil { tick(62_000) == [2, 1] })
    #expect(tick(200_000) == [2, 1] && socket.isBound)
  }

  @Test("Five hundred unread snapshots of one list share its bytes")
  func shared() async throws {
    let changes = try TestChangeServer(Self.longest)
    defer { changes.reactor.stop() }
    let feed = try TestFeed(pulling: changes.endpoint)
    defer { feed.reactor.stop() }
    let peers = (0..<5).map { _ in RawSocket(ZMQ_XSUB, connect: feed.endpoint, unreadMax: 1) }
    for (index, peer) in peers.enumerated() {
      for join in 0..<100 { peer.send([[1] + Array(Topic.join("p\(index)j\(join)").utf8)]) }
    }
    // Joins of one tick share a frame. Periodic snapshots come every 5 s.
    let whole = FeedCodec.feed(.snapshot(.join), Self.longest, instance: "test", unixMs: 0).count
    let reader = try TestSubscriber(feed.endpoint)
    defer { reader.reactor.stop() }
    try await eventually("a later join has a snapshot") { reader.isLive }
    #expect(feed.memory.bytes < 4 * whole, "\(feed.memory.bytes) unread bytes")
  }

  @Test("A subscriber that does not read hits the limit, and others get the list again")
  func bound() async throws {
    let changes = try TestChangeServer(Self.longest)
    defer { changes.reactor.stop() }
    let log = LineLog()
    let bytesMax = 2_000_000
    let feed = try TestFeed(pulling: changes.endpoint, unreadBytesMax: bytesMax, logger: log.logger)
    defer { feed.reactor.stop() }
    let reader = try TestSubscriber(feed.endpoint)
    defer { reader.reactor.stop() }
    try await eventually("the reader has the list") { reader.isLive }
    let stalled = RawSocket(ZMQ_SUB, connect: feed.endpoint, subscribe: [Topic.snapshot], unreadMax: 1)
    var seq = Self.longest.seq
    var peakBytes = 0
    // Each change causes a snapshot within 250 ms.
    try await eventually("the unread limit is exceeded", within: 120) {
      seq += 1
      changes.commands.enqueue([.upsert(Self.entry(1, seq: seq))])
      peakBytes = max(peakBytes, feed.memory.bytes)
      return !log.lines(with: "unread limit exceeded").isEmpty
    }
    let whole = FeedCodec.feed(.snapshot(.join), Self.longest, instance: "test", unixMs: 0).count
    #expect(peakBytes <= bytesMax + 3 * whole, "\(peakBytes) unread bytes at most")
    withExtendedLifetime(stalled) {}
    try await eventually("the reader has the last change") { reader.isLive && reader.state?.seq == seq }
    // The snapshot that joins share stays in memory.
    try await eventually("memory is freed") { feed.memory.bytes < 2 * whole }
  }
}
