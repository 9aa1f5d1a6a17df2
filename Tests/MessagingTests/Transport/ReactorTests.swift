import CZeroMQ
import Foundation
import SwiftProtobuf
import Testing

@testable import Domain
@testable import Messaging

@Suite("Reactor", .serialized)
struct ReactorTests {
  private struct Refused: Error {}

  @Test("Reactors report their bound ports, which differ")
  func ports() throws {
    let servers = try (0..<2).map { _ in try TestServer(Ledger()) }
    defer { for server in servers { server.reactor.stop() } }
    #expect(servers.allSatisfy { $0.endpoint.port > 0 })
    #expect(servers[0].endpoint != servers[1].endpoint)
    #expect(servers[0].endpoint.description.hasPrefix("tcp://127.0.0.1:"))
  }

  @Test("A wildcard address is bound, and its connectable form reaches it")
  func wildcard() async throws {
    let ledger = Ledger()
    let server = try TestServer(ledger, bind: Endpoint("tcp://*:*"))
    defer { server.reactor.stop() }
    #expect(server.endpoint.connectable.description == "tcp://127.0.0.1:\(server.endpoint.port)")
    let worker = try TestWorker(server.endpoint.connectable)
    defer { worker.reactor.stop() }
    server.add([.post(1)], to: ledger)
    try await eventually("the job is settled") { ledger.settledCount == 1 }
  }

  @Test("A bind of an address in use throws an error that names it, and the first reactor keeps working")
  func conflict() async throws {
    let ledger = Ledger()
    let server = try TestServer(ledger)
    defer { server.reactor.stop() }
    let error = #expect(throws: LinkError.self) { try TestServer(Ledger(), bind: server.endpoint) }
    guard case .address(let address, let reason)? = error else {
      Issue.record("\(String(describing: error)) is not about the address")
      return
    }
    #expect(address == server.endpoint.description)
    #expect(reason.contains("in use"))
    #expect(error?.description.contains("cannot be used") == true)
    let worker = try TestWorker(server.endpoint)
    defer { worker.reactor.stop() }
    server.add([.post(1)], to: ledger)
    try await eventually("the first reactor settles a job") { ledger.settledCount == 1 }
  }

  @Test("An address of another host is an error")
  func foreign() {
    #expect(throws: LinkError.self) { try TestServer(Ledger(), bind: Endpoint("tcp://192.0.2.1:7701")) }
  }

  @Test("Reactor.start throws the error of the closure that creates the sockets")
  func thrown() {
    #expect(throws: Refused.self) {
      try Reactor.start("refused", wake: WakeupEvent()) { _ in throw Refused() } as (reactor: Reactor, value: Int)
    }
  }

  @Test("A reactor stops despite absent peers and peers that do not read, and may be stopped twice")
  func stop() async throws {
    let ledger = Ledger()
    let absent = try TestServer(Ledger())
    absent.reactor.stop()
    let unconnected = try TestWorker(absent.endpoint)
    let server = try TestServer(ledger)
    let feed = try TestFeed(pulling: absent.endpoint)
    let worker = try TestWorker(server.endpoint)
    // This peer sends Hello and never reads.
    let stalled = RawSocket(ZMQ_DEALER, connect: server.endpoint)
    stalled.send([
      WorkerFrame(
        session: 0,
        .hello(
          .with {
            $0.minMajor = 1
            $0.maxMajor = 1
            $0.worker = "stalled"
            $0.instance = .init(repeating: 9, count: 16)
          })
      ).bytes
    ])
    server.add((1...100).map { .post($0) }, to: ledger)
    try await eventually("the worker settles jobs") { ledger.settledCount > 0 }
    for reactor in [unconnected.reactor, server.reactor, feed.reactor, worker.reactor] {
      try await expectEnd(of: reactor)
      try await expectEnd(of: reactor)
    }
    withExtendedLifetime(stalled) {}
  }

  @Test("A command wakes the reactor before its poll times out")
  func wakes() async throws {
    let wake = WakeupEvent()
    let commands = CommandQueue<Int>(wake)
    let woken = Counter()
    let (reactor, _) = try Reactor.start("sleeper", wake: wake) { context in
      let sleeper = try Sleeper(context, commands: commands, woken: woken)
      return ([sleeper], ())
    }
    defer { reactor.stop() }
    // A busy machine delays some ticks, but not all of them. Without a wake-up no tick is early.
    try await eventually("an early tick gets a command") {
      commands.enqueue(1)
      return woken.value > 0
    }
  }

  @Test("The reactor's clock counts monotonic milliseconds")
  func clock() async throws {
    let (start, startMs) = (ContinuousClock.now, Reactor.nowMs)
    let inner = ContinuousClock.now
    try await eventually("50 ms have passed") { inner.duration(to: .now) >= .milliseconds(50) }
    let innerEnd = ContinuousClock.now
    let passedMs = Reactor.nowMs - startMs
    // On the other clock, the outer interval is at least as long as the reactor's, and the inner one is at most as
    // long.
    #expect(.milliseconds(passedMs - 1) <= start.duration(to: .now))
    #expect(.milliseconds(passedMs + 1) >= inner.duration(to: innerEnd))
  }
}

/// A reactor socket without messages. It counts early ticks with a command. A tick is early if the last tick was less
/// than 500 ms ago, which is half of the longest poll.
private final class Sleeper: ReactorSocket {
  let socket: Socket
  private let commands: CommandQueue<Int>
  private let woken: Counter
  private var lastTickMs: Int64?

  init(_ context: Reactor.Context, commands: CommandQueue<Int>, woken: Counter) throws {
    socket = try context.socket(.dealer, frameBytesMax: 1_000)
    (self.commands, self.woken) = (commands, woken)
  }

  func receive(_ frames: [[UInt8]], nowMs: Int64) {}

  func tick(nowMs: Int64) -> Int64 {
    // The first tick does not wait.
    if !commands.drain().isEmpty, let lastTickMs, nowMs - lastTickMs < 500 { woken.add() }
    lastTickMs = nowMs
    return .max
  }

  func shutDown() {}
}
