import Glibc
import Testing

@testable import Domain
@testable import Messaging

@Suite("Reconnection", .serialized)
struct ReconnectTests {
  private static let rounds = 100

  /// A DEALER that reconnects, sends a numbered message when libzmq accepts it, and waits until it has arrived.
  private final class Caller: ReactorSocket {
    let socket: Socket
    private let endpoint: Endpoint
    private let arrived: Shared<Int>
    private let log: LineLog
    private let reconnector: Reconnector
    private var accepted = 0
    private var isSending = true

    init(_ context: Reactor.Context, connect endpoint: Endpoint, arrived: Shared<Int>, log: LineLog) throws {
      socket = try context.socket(.dealer, frameBytesMax: 100)
      try socket.set(ZMQOption.immediate, 1)
      reconnector = try context.connect(socket, endpoint, as: .jobs, curve: nil, logger: log.logger)
      (self.endpoint, self.arrived, self.log) = (endpoint, arrived, log)
    }

    func receive(_ frames: [[UInt8]], nowMs: Int64) {}

    func tick(nowMs: Int64) -> Int64 {
      if !isSending {
        // Wait for the monitor's line about the connection, too.
        guard arrived.value == accepted, log.lines(with: "connected endpoint=").count == accepted else {
          return nowMs + 1
        }
        guard accepted < ReconnectTests.rounds else { return .max }
        // The log then has a line for the next connection too.
        reconnector.answered()
        reconnector.noteSilence(nowMs: nowMs)
        try? socket.reconnect(endpoint)
        isSending = true
      }
      guard socket.send([UInt8(accepted + 1)]) == .accepted else { return nowMs + 1 }
      accepted += 1
      isSending = false
      return nowMs + 1
    }

    func shutDown() {}
  }

  /// A ROUTER that records the latest message.
  private final class Listener: ReactorSocket {
    let socket: Socket
    let endpoint: Endpoint
    private let arrived: Shared<Int>

    init(_ context: Reactor.Context, arrived: Shared<Int>) throws {
      socket = try context.socket(.router, frameBytesMax: 100)
      endpoint = try socket.bind(.anyPort())
      self.arrived = arrived
    }

    func receive(_ frames: [[UInt8]], nowMs: Int64) { arrived.change { $0 = Int(frames.last?.first ?? 0) } }
    func tick(nowMs: Int64) -> Int64 { .max }
    func shutDown() {}
  }

  @Test("A message that is accepted right after a reconnect arrives, in each of 100 rounds")
  func nothingIsLost() async throws {
    let (arrived, log) = (Shared(0), LineLog())
    let (server, endpoint) = try Reactor.start("server", wake: WakeupEvent()) { context in
      let server = try Listener(context, arrived: arrived)
      return ([server], server.endpoint)
    }
    defer { server.stop() }
    let (client, _) = try Reactor.start("client", wake: WakeupEvent()) { context in
      ([try Caller(context, connect: endpoint, arrived: arrived, log: log)], ())
    }
    defer { client.stop() }
    try await eventually("all messages have arrived") { arrived.value == Self.rounds }
    try await eventually("all connections are in the log") {
      log.lines(with: "connected endpoint=").count == Self.rounds
    }
  }

  @Test("A subscriber that reconnects keeps its subscriptions")
  func whole() async throws {
    let changes = try TestChangeServer(.sample(1...5))
    defer { changes.reactor.stop() }
    let feeds = try (0..<2).map { _ in try TestFeed(pulling: changes.endpoint) }
    defer { for feed in feeds { feed.reactor.stop() } }
    let subscriber = try TestSubscriber(feeds[0].endpoint, feeds[1].endpoint)
    defer { subscriber.reactor.stop() }
    try await eventually("the subscriber has the list") { subscriber.isLive }
    feeds[0].reactor.stop()
    try await eventually("the subscriber has the list of the other feed") { subscriber.lists >= 2 && subscriber.isLive }
    changes.commands.enqueue([.sample(6)])
    try await eventually("the subscriber has the change") { subscriber.state?.seq == 6 }
  }
}
