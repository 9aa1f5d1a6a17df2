import CZeroMQ
import Foundation
import SwiftProtobuf
import Synchronization
import Testing

@testable import Domain
@testable import Messaging

@Suite("Password hashes over the gateway link")
struct GatewayHashLinkTests {
  private static let hash = [UInt8](32..<64)

  /// Runs both ends of a link, with an open request of the gateway. The request has its response afterwards.
  private func withRequest(
    _ hashing: GatewayClient.Hashing?, _ body: (TestGatewayServer, TestGateway) async throws -> Void
  ) async throws {
    let endpoint = try Endpoint.lastingPort()
    let server = TestGatewayServer(generation: 5)
    let reactor = try server.start(endpoint)
    let gateway = try TestGateway(endpoint, hashing: hashing)
    defer {
      gateway.stop()
      reactor.stop()
    }
    server.setSilent(true)
    async let response = gateway.request(1, .sample("/v2/session"))
    try await eventually("ingest has the request") { server.held == 1 }
    try await body(server, gateway)
    server.setSilent(false)
    #expect(try await response.get().status == 200)
  }

  @Test("A gateway computes the hashes of its open request, and then gets the response")
  func computed() async throws {
    let seen = Mutex<[PasswordHashWork]>([])
    let hashing = GatewayClient.Hashing(parallelMax: 3) { work, completion in
      seen.withLock { $0.append(work) }
      completion(Self.hash)
    }
    try await withRequest(hashing) { server, _ in
      #expect(server.hashesMax == 3)
      for _ in 0..<2 { #expect(await server.hash() == .success(Self.hash)) }
    }
    #expect(seen.withLock { $0 } == [.sample, .sample])
  }

  @Test("A gateway that computes no hashes announces none")
  func none() async throws {
    try await withRequest(nil) { server, _ in #expect(server.hashesMax == 0) }
  }

  @Test("A gateway refuses a hash above its limits, and reports one that it could not compute")
  func refused() async throws {
    let begun = Counter()
    let hashing = GatewayClient.Hashing(parallelMax: 1) { _, completion in
      begun.add()
      completion(nil)
    }
    try await withRequest(hashing) { server, _ in
      let large = PasswordHashWork(
        password: Secret("correct horse"), salt: [UInt8](0..<16), memoryKiB: Limits.passwordHashKiB + 1)
      #expect(await server.hash(large) == .failure(.notComputed))
      #expect(begun.value == 0)
      #expect(await server.hash() == .failure(.notComputed))
      #expect(begun.value == 1)
    }
  }

  @Test("A silent gateway loses its hash after the timeout, and gets none for a while")
  func silent() async throws {
    let begun = Counter()
    try await withRequest(GatewayClient.Hashing(parallelMax: 1) { _, _ in begun.add() }) { server, gateway in
      #expect(server.hashesMax == 1)
      #expect(await server.hash() == .failure(.notComputed))
      async let second = gateway.request(2, .sample("/v2/session"))
      try await eventually("ingest has the second request") { server.held == 2 }
      #expect(server.hashesMax == 0)
      #expect(await server.hash() == .failure(.notComputed))
      #expect(begun.value == 1)
      server.setSilent(false)
      #expect(try await second.get().status == 200)
    }
  }

  @Test("A lost connection ends its hashes, and so does the end of ingest", arguments: [false, true])
  func lost(endsIngest: Bool) async throws {
    let endpoint = try Endpoint.lastingPort()
    let server = TestGatewayServer(generation: 5)
    let reactor = try server.start(endpoint)
    defer { reactor.stop() }
    let peer = HashingPeer(endpoint)
    try await peer.request(server)
    let end = OneShot<Result<[UInt8], GatewayHashes.Failure>>()
    Task { end.set(await server.hash()) }
    // On a slow machine, ingest may lose the peer before it requests the hash.
    try await eventually("ingest requests the hash") { peer.receivesHashRequest() || end.now != nil }
    // The peer says Hello no more.
    if endsIngest { reactor.stop() }
    #expect(try await end.value == .failure(.gone))
  }

  @Test("A gateway sends no hash that ingest requested on an earlier connection")
  func earlierConnection() async throws {
    let ingest = HashingIngest()
    let (reactor, endpoint) = try AnsweringSocket.start { ingest.reply(to: $0) }
    let completions = Mutex<[@Sendable ([UInt8]?) -> Void]>([])
    let hashing = GatewayClient.Hashing(parallelMax: 1) { _, completion in
      completions.withLock { $0.append(completion) }
    }
    let gateway = try TestGateway(endpoint, hashing: hashing)
    defer {
      gateway.stop()
      reactor.stop()
    }
    async let response = gateway.request(1, .sample("/v2/session"))
    try await eventually("the gateway computes the hash") { completions.withLock { $0.count } == 1 }
    ingest.rename()
    try await eventually("the repeated request needs a hash") { completions.withLock { $0.count } == 2 }
    for completion in completions.withLock({ $0 }) { completion(Self.hash) }
    #expect(try await response.get().status == 200)
    #expect(ingest.connections == [[2]])
  }

  @Test(
    "A hash with the name of another connection, another number or another length is malformed, and changes nothing")
  func malformed() async throws {
    let endpoint = try Endpoint.lastingPort()
    let server = TestGatewayServer(generation: 5)
    let reactor = try server.start(endpoint)
    defer { reactor.stop() }
    let (peer, other) = (HashingPeer(endpoint), HashingPeer(endpoint))
    try await other.hello()
    try await peer.request(server)
    async let result = server.hash()
    let request = try await peer.reply()
    #expect(request.requestID == 8 && request.hashPassword.work == .sample)
    let (number, wrong) = (request.hashPassword.number, [UInt8](repeating: 0, count: 32))
    other.send(wrong, number, as: other.name)
    other.send(wrong, number, as: peer.name)
    let error = try await other.reply()
    #expect(error.requestID == 0 && error.error.code == .malformed)
    peer.send(wrong, number, as: other.name)
    peer.send(wrong, number, as: [])
    peer.send(wrong, number + 1, as: peer.name)
    peer.send(Array(wrong.dropLast()), number, as: peer.name)
    peer.send(Self.hash, number, as: peer.name)
    #expect(await result == .success(Self.hash))
  }
}

/// An ingest that requests a password hash for each request, and responds to the first hash.
private final class HashingIngest: Sendable {
  private struct State {
    var connection: [UInt8] = [1]
    var requested: UInt64 = 0
    var connections: [[UInt8]] = []
  }

  private let state = Mutex(State())

  /// The connections that the received hashes name.
  var connections: [[UInt8]] { state.withLock { $0.connections } }

  /// Gives the connection another name, as a restart of ingest does.
  func rename() { state.withLock { $0.connection = [2] } }

  func reply(to bytes: [UInt8]) -> [UInt8] {
    let frame = GatewayFrame([bytes][...])
    return state.withLock { state -> GatewayReply in
      switch frame?.body {
      case .request?:
        state.requested += 1
        return GatewayReply(
          id: frame?.requestID ?? 0, .hashPassword(.init(PasswordHashWork.sample, number: state.requested)))
      case .passwordHash?:
        state.connections.append(Array(frame?.connection ?? Data()))
        let response = ForwardedResponse(status: 200, headers: [], body: [])
        return GatewayReply(id: frame?.requestID ?? 0, .response(.init(response)))
      default:
        let name = Data(state.connection)
        return GatewayReply(id: 0, .welcome(.with { $0.connection = name }))
      }
    }.bytes
  }
}

/// A gateway that announces one password hash, and whose frames the test chooses.
private final class HashingPeer {
  private let socket: RawSocket
  /// Name of the connection. Empty before `hello`.
  private(set) var name: [UInt8] = []

  init(_ endpoint: Endpoint) { socket = RawSocket(ZMQ_DEALER, connect: endpoint) }

  /// Says Hello, and waits for the Welcome.
  func hello() async throws {
    try await eventually("ingest sends a Welcome") {
      sayHello()
      if case .welcome(let welcome)? = receive()?.body { name = Array(welcome.connection) }
      return !name.isEmpty
    }
  }

  /// Opens request 8 at a server that holds its responses back.
  func request(_ server: TestGatewayServer) async throws {
    server.setSilent(true)
    try await hello()
    socket.send([GatewayFrame(id: 8, connection: name, .request(.init(.sample("/v2/session")))).bytes])
    try await eventually("ingest has the request") {
      sayHello()
      return server.held == 1
    }
  }

  /// Says Hello. Returns true if a reply requests a hash.
  func receivesHashRequest() -> Bool {
    sayHello()
    if case .hashPassword? = receive()?.body { return true }
    return false
  }

  /// Returns the next reply that is no Welcome.
  func reply() async throws -> GatewayReply {
    var reply: GatewayReply?
    try await eventually("ingest replies") {
      sayHello()
      reply = receive()
      if case .welcome? = reply?.body { return false }
      return reply != nil
    }
    return try #require(reply)
  }

  func send(_ hash: [UInt8], _ number: UInt64, as name: [UInt8]) {
    socket.send([GatewayFrame(id: 8, connection: name, .passwordHash(.init(hash, number: number))).bytes])
  }

  private func sayHello() {
    socket.send([GatewayFrame(id: 0, connection: [], .hello(.with { $0.passwordHashes = 1 })).bytes])
  }

  private func receive() -> GatewayReply? { socket.receive().flatMap { GatewayReply($0) } }
}
