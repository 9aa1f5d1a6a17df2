import CZeroMQ
import Testing

@testable import Domain
@testable import Messaging

@Suite("Reconnector")
struct ReconnectorTests {
  /// A libzmq monitor event for a failed handshake.
  struct Failure: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let event: Int32
    var value: Int32 = 0
    let usesKeys: Bool

    var frame: [UInt8] {
      withUnsafeBytes(of: UInt16(event), Array.init) + withUnsafeBytes(of: UInt32(value), Array.init)
    }

    static let all = [
      Failure(testDescription: "a refused key", event: ZMQ_EVENT_HANDSHAKE_FAILED_AUTH, usesKeys: true),
      Failure(
        testDescription: "no keys on a link with CURVE", event: ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL,
        value: ZMQ_PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH, usesKeys: false),
      Failure(
        testDescription: "a closed connection without keys", event: ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL,
        usesKeys: false),
    ]
  }

  @Test("A refused client logs the reason immediately, then once a minute", arguments: Failure.all)
  func lines(_ failure: Failure) throws {
    let log = LineLog()
    let keys = CurveClient(keys: try .random(), server: try KeyPair.random().publicKey)
    let (reactor, counts) = try Reactor.start("reconnect", wake: WakeupEvent()) { context in
      let endpoint = try Endpoint("tcp://127.0.0.1:1")
      let socket = try context.socket(.dealer, frameBytesMax: 1_024)
      let reconnector = try Reconnector(
        context, reconnecting: socket, endpoint, curve: failure.usesKeys ? keys : nil, link: .changes,
        logger: log.logger)
      try socket.connect(endpoint)
      let counts = ([0, 1, 50_000, 60_000, 110_000, 120_000, 180_000] as [Int64]).map { nowMs -> Int in
        _ = reconnector.tick(nowMs: nowMs)
        reconnector.receive([failure.frame], nowMs: nowMs)
        return log.lines(with: "cannot connect").count
      }
      return ([], counts)
    }
    reactor.stop()
    #expect(counts == [1, 1, 1, 2, 2, 3, 4])
  }

  @Test(
    "A refused client whose key ends with its process logs that an allowlist needs a key file",
    arguments: [(true, "without --key-file the key changes at each start"), (false, "add the key and reload")])
  func advice(isTemporary: Bool, advice: String) throws {
    let log = LineLog()
    let keys = CurveClient(keys: try .random(), server: try KeyPair.random().publicKey, isTemporary: isTemporary)
    let (reactor, _) = try Reactor.start("reconnect", wake: WakeupEvent()) { context in
      let endpoint = try Endpoint("tcp://127.0.0.1:1")
      let socket = try context.socket(.dealer, frameBytesMax: 1_024)
      let reconnector = try Reconnector(
        context, reconnecting: socket, endpoint, curve: keys, link: nil, logger: log.logger)
      try socket.connect(endpoint)
      reconnector.receive([Failure.all[0].frame], nowMs: 0)
      return ([], ())
    }
    reactor.stop()
    let lines = log.lines(with: "key not on its allowlist")
    #expect(lines.count == 1 && lines[0].contains(advice))
  }
}

@Suite("Connection log")
struct ConnectionLogTests {
  private let log = LineLog()

  private func connectionLog() throws -> ConnectionLog {
    ConnectionLog(.feed, to: try Endpoint("tcp://127.0.0.1:1"), logger: log.logger)
  }

  private func count(_ text: String) -> Int { log.lines(with: text).count }

  @Test("A service of which libzmq reports nothing has a line once a minute, and one for its return")
  func unreported() throws {
    var connection = try connectionLog()
    for nowMs: Int64 in stride(from: 3_000, through: 120_000, by: 3_000) { connection.noteSilence(nowMs: nowMs) }
    let line = "cannot connect endpoint=tcp://127.0.0.1:1 link=feed reason=no reply"
    #expect(log.lines == [line, line])
    connection.note(.handshakeSucceeded, nowMs: 121_000)
    #expect(log.lines.last == "connected endpoint=tcp://127.0.0.1:1 link=feed")
  }

  @Test("A wrong ZeroMQ port, which connects and never answers, has two lines a minute")
  func wrongPort() throws {
    var connection = try connectionLog()
    for nowMs: Int64 in stride(from: 0, to: 60_000, by: 3_000) {
      connection.note(.handshakeSucceeded, nowMs: nowMs)
      connection.noteSilence(nowMs: nowMs + 2_000)
    }
    #expect(count("connected endpoint=") == 1 && log.lines.count == 2)
    #expect(count("cannot connect endpoint=tcp://127.0.0.1:1 link=feed reason=connected, but no answer: wrong") == 1)
  }

  @Test("The return of a service that had answered has a line, also within the same minute")
  func returned() throws {
    var connection = try connectionLog()
    for nowMs: Int64 in [0, 10_000, 20_000] {
      connection.note(.handshakeSucceeded, nowMs: nowMs)
      connection.answered()
      connection.noteSilence(nowMs: nowMs + 5_000)
    }
    #expect(count("connected endpoint=") == 3)
    let loss = "connection lost: reconnecting endpoint=tcp://127.0.0.1:1 link=feed reason=no answer"
    #expect(log.lines.filter { !$0.hasPrefix("connected") } == [loss, loss, loss])
    connection.note(.handshakeSucceeded, nowMs: 30_000)
    connection.note(.disconnected(1), nowMs: 31_000)
    connection.note(.retrying(pauseMs: 100), nowMs: 31_000)
    connection.note(.handshakeSucceeded, nowMs: 32_000)
    #expect(count("connected endpoint=") == 5 && count("retry_ms=") == 1)
  }

  @Test("A client that goes from address to address logs each connection once a minute, unless one has answered")
  func addresses() throws {
    var connection = try connectionLog()
    func visit(_ port: Int, nowMs: Int64) throws {
      connection.move(to: try Endpoint("tcp://127.0.0.1:\(port)"))
      connection.note(.handshakeSucceeded, nowMs: nowMs)
    }
    for nowMs: Int64 in stride(from: 0, to: 50_000, by: 5_000) {
      try visit(1, nowMs: nowMs)
      try visit(2, nowMs: nowMs)
    }
    #expect(count("connected endpoint=") == 2)
    connection.answered()
    try visit(1, nowMs: 50_000)
    try visit(2, nowMs: 55_000)
    #expect(count("connected endpoint=") == 4)
  }

  @Test("A failed handshake has no second line for the silence after it")
  func failure() throws {
    var connection = try connectionLog()
    connection.note(.handshakeFailed(.cut), nowMs: 0)
    for nowMs: Int64 in [3_000, 6_000, 9_000] { connection.noteSilence(nowMs: nowMs) }
    #expect(log.lines.isEmpty)
  }
}
