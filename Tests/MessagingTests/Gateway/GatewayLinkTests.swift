import CZeroMQ
import SwiftProtobuf
import Testing

@testable import Domain
@testable import Messaging

@Suite("Gateway link")
struct GatewayLinkTests {
  private func withLink(
    _ body: (TestGatewayServer, TestGateway, _ endpoint: Endpoint, _ stopServer: () -> Void) async throws -> Void
  ) async throws {
    let endpoint = try Endpoint.lastingPort()
    let server = TestGatewayServer(generation: 5)
    let reactor = try server.start(endpoint)
    let gateway = try TestGateway(endpoint)
    defer {
      gateway.stop()
      reactor.stop()
    }
    try await body(server, gateway, endpoint, reactor.stop)
  }

  @Test("Posts get their results, and concurrent posts share frames")
  func posts() async throws {
    try await withLink { server, gateway, _, _ in
      let results = await withTaskGroup { group in
        for number in 0..<500 { group.addTask { await gateway.post(number) } }
        return await group.reduce(into: []) { $0.append($1) }
      }
      let ids = Set(results.compactMap { try? $0.get() }.compactMap(\.post))
      #expect(ids.count == 500 && server.stored == 500)
      #expect(server.frames < 500)
    }
  }

  @Test("A forwarded request arrives whole, and its response comes back whole")
  func forwarding() async throws {
    try await withLink { server, gateway, _, _ in
      let request = ForwardedRequest.sample("/v2/posts?scope=all", bytes: Limits.bulkBytesMax)
      let response = try await gateway.request(1, request).get()
      #expect(response.status == 200 && response.body == request.body && response.headers == request.headers)
      #expect(server.executed == ["/v2/posts?scope=all"])
    }
  }

  @Test("Posts wait while ingest is down, and are stored once by its next run")
  func restart() async throws {
    try await withLink { server, gateway, endpoint, stopServer in
      #expect(try await gateway.post(1).get().post != nil)
      // The replies of the first run are lost with its connection, as after a kill.
      server.setSilent(true)
      async let lost = gateway.post(2)
      try await eventually("the first run has the post") { server.held == 1 }
      stopServer()
      async let waiting = gateway.post(3)
      let next = TestGatewayServer(generation: 6)
      let reactor = try next.start(endpoint)
      defer { reactor.stop() }
      #expect(try await lost.get().post != nil)
      #expect(try await waiting.get().post != nil)
      #expect(next.stored == 2)
    }
  }

  @Test("A gateway learns the site from Welcome, and a changed site from the next run of ingest")
  func site() async throws {
    try await withLink { _, gateway, endpoint, stopServer in
      try await eventually("the gateway knows the site") { gateway.isAvailable && gateway.site == .sample }
      #expect(gateway.start == IngestStart(epoch: .filled(with: 1), generation: 5))
      stopServer()
      let members = GatewaySite(isSecure: false, allowedOrigins: [], isMapPublic: false)
      let reactor = try TestGatewayServer(generation: 6, site: members).start(endpoint)
      defer { reactor.stop() }
      try await eventually("the gateway knows the new site") { gateway.site == members }
      #expect(gateway.start?.generation == 6)
    }
  }

  @Test("A request that may not be repeated ends with an unknown outcome if ingest ends without a reply")
  func unknownOutcome() async throws {
    try await withLink { server, gateway, endpoint, stopServer in
      server.setSilent(true)
      async let lost = gateway.request(1, .sample("/v2/accounts"), isRepeatable: false)
      try await eventually("the first run has the request") { server.held == 1 }
      stopServer()
      let next = TestGatewayServer(generation: 6)
      let reactor = try next.start(endpoint)
      defer { reactor.stop() }
      #expect(await lost == .failure(.unknownOutcome))
      #expect(next.executed.isEmpty)
    }
  }

  @Test("A shutdown replies to open requests, and leaves later ones to the next run")
  func shutdown() async throws {
    try await withLink { server, gateway, endpoint, stopServer in
      server.setSilent(true)
      async let open = gateway.request(1, .sample("/open"), isRepeatable: false)
      try await eventually("ingest has the request") { server.held == 1 }
      async let isShutDown: Void = server.shutDown()
      try await eventually("the gateway has noticed the shutdown") { !gateway.isAvailable }
      async let later = gateway.request(2, .sample("/later"), isRepeatable: false)
      server.setSilent(false)
      try await isShutDown
      #expect(try await open.get().status == 200)
      stopServer()
      let next = TestGatewayServer(generation: 6)
      let reactor = try next.start(endpoint)
      defer { reactor.stop() }
      #expect(try await later.get().status == 200)
      #expect(server.executed == ["/open"] && next.executed == ["/later"])
    }
  }

  @Test("Ingest refuses Hello while it is shutting down")
  func helloDuringShutdown() async throws {
    try await withLink { server, gateway, endpoint, _ in
      server.setSilent(true)
      async let open = gateway.request(1, .sample("/open"))
      try await eventually("ingest has the request") { server.held == 1 }
      async let isShutDown: Void = server.shutDown()
      let peer = peer(endpoint)
      var answer: GatewayReply
      repeat {
        peer.send([GatewayFrame(id: 0, connection: [], .hello(.init())).bytes])
        answer = try await reply(peer)
      } while !answer.welcome.connection.isEmpty
      #expect(answer.requestID == 0 && answer.notExecuted.reason == .shutdown)
      server.setSilent(false)
      try await isShutDown
      #expect(try await open.get().status == 200)
    }
  }

  @Test("A cancelled request tells ingest, and ends")
  func cancellation() async throws {
    try await withLink { server, gateway, _, _ in
      server.setSilent(true)
      async let response = gateway.request(1, .sample("/v2/geocode"))
      try await eventually("ingest has the request") { server.held == 1 }
      gateway.cancel(1)
      #expect(await response == .failure(.cancelled))
      try await eventually("ingest knows") { server.cancelled == 1 }
    }
  }

  @Test("The end of the waits reaches ingest for each request, and not for posts in a batch")
  func endOfWaits() async throws {
    try await withLink { server, gateway, _, _ in
      server.setSilent(true)
      async let early = gateway.request(1, .sample("/early"))
      async let post = gateway.post(1)
      try await eventually("ingest has the request and the post") { server.held == 2 }
      gateway.endWaits()
      async let late = gateway.request(2, .sample("/late"))
      // If ingest gets too few ends of waits, the requests still need their replies.
      defer { server.setSilent(false) }
      try await eventually("ingest knows") { server.endedWaits == 2 }
      server.setSilent(false)
      #expect(try await early.get().status == 200)
      #expect(try await late.get().status == 200)
      _ = try await post.get()
      #expect(server.endedWaits == 2)
    }
  }

  @Test("After the end of the waits, requests and posts fail while ingest is away")
  func endOfWaitsWithoutIngest() async throws {
    try await withLink { _, gateway, _, stopServer in
      stopServer()
      try await eventually("the gateway has lost the connection") { !gateway.isAvailable }
      async let request = gateway.request(1, .sample("/held"), isRepeatable: false)
      async let posts = withTaskGroup(of: Result<SessionPostResult, GatewayClient.Failure>.self) { group in
        for number in 0..<1_000 { group.addTask { await gateway.post(number) } }
        return await group.reduce(into: 0) { $0 += $1 == .failure(.unavailable) ? 1 : 0 }
      }
      gateway.endWaits()
      #expect(await request == .failure(.unavailable))
      #expect(await posts == 1_000)
    }
  }

  @Test("An earlier run of ingest gets no requests")
  func earlierRun() async throws {
    try await withLink { server, gateway, endpoint, stopServer in
      #expect(try await gateway.request(1, .sample("/first")).get().status == 200)
      stopServer()
      let earlier = TestGatewayServer(generation: 4)
      let earlierReactor = try earlier.start(endpoint)
      async let waiting = gateway.request(2, .sample("/second"))
      try await eventually("the gateway has lost the connection") { !gateway.isAvailable }
      earlierReactor.stop()
      let next = TestGatewayServer(generation: 5)
      let reactor = try next.start(endpoint)
      defer { reactor.stop() }
      #expect(try await waiting.get().status == 200)
      #expect(earlier.executed.isEmpty && next.executed == ["/second"])
    }
  }

  @Test("A gateway refuses a post above its maximum of held posts, and accepts posts again when there is space")
  func heldPostsMax() async throws {
    // Nothing listens at this address.
    let gateway = try TestGateway(.lastingPort())
    let endings = await withTaskGroup { group in
      for number in 0...Limits.gatewayPostsHeldMax { group.addTask { await gateway.post(number) } }
      // All others wait until the hold ends.
      return await group.reduce(into: [GatewayClient.Failure: Int]()) { counts, result in
        if case .failure(let failure) = result { counts[failure, default: 0] += 1 }
      }
    }
    #expect(endings == [.busy: 1, .unavailable: Limits.gatewayPostsHeldMax])
    gateway.stop()
  }

  private func peer(_ endpoint: Endpoint) -> RawSocket { RawSocket(ZMQ_DEALER, connect: endpoint) }

  private func reply(_ peer: RawSocket) async throws -> GatewayReply {
    var reply: GatewayReply?
    try await eventually("ingest replies") {
      if let frames = peer.receive() { reply = GatewayReply(frames) }
      return reply != nil
    }
    return try #require(reply)
  }

  @Test("A request without the name of its connection is not executed")
  func staleConnection() async throws {
    try await withLink { server, _, endpoint, _ in
      let peer = peer(endpoint)
      for connection in [[], [1, 0, 0, 0, 9]] as [[UInt8]] {
        peer.send([GatewayFrame(id: 8, connection: connection, .request(.init(.sample("/")))).bytes])
        let reply = try await reply(peer)
        #expect(reply.requestID == 8 && reply.notExecuted.reason == .staleConnection)
      }
      #expect(server.executed.isEmpty)
    }
  }

  @Test("A request id that is open already is refused, and so is a batch of 0 or too many posts")
  func invalidRequests() async throws {
    try await withLink { server, _, endpoint, _ in
      server.setSilent(true)
      let peer = peer(endpoint)
      peer.send([GatewayFrame(id: 0, connection: [], .hello(.init())).bytes])
      let connection = Array(try await reply(peer).welcome.connection)
      for _ in 0..<2 {
        peer.send([GatewayFrame(id: 8, connection: connection, .request(.init(.sample("/")))).bytes])
      }
      #expect(try await reply(peer).error.code == .outOfRange)
      for count in [0, Limits.gatewayPostsMax + 1] {
        let posts = (0..<count).map { SessionPost(token: TestSubmitServer.token, post: .sample($0)) }
        peer.send([GatewayCodec.batch(posts, id: 9, connection: connection)])
        let error = try await reply(peer).error
        #expect(error.code == .outOfRange && error.detail.contains("1 to \(Limits.gatewayPostsMax)"))
      }
      let posts = (0..<Limits.gatewayPostsMax).map { SessionPost(token: TestSubmitServer.token, post: .sample($0)) }
      peer.send([GatewayCodec.batch(posts, id: 10, connection: connection)])
      try await eventually("ingest has the largest batch") { server.stored == Limits.gatewayPostsMax }
    }
  }

  @Test("The largest bulk request fits a frame, and so does the largest batch of posts")
  func largestFrames() throws {
    let request = ForwardedRequest(
      method: "POST", target: "/v2/posts/bulk", authority: "map.example.org",
      headers: [.init(name: "X", value: String(repeating: "h", count: Limits.httpHeaderBytesMax))],
      body: [UInt8](repeating: 7, count: Limits.bulkBytesMax), clientAddress: "192.0.2.1")
    #expect(GatewayFrame(id: .max, connection: [1], .request(.init(request))).bytes.count < Limits.gatewayFrameBytesMax)
    let post = SubmittedPost(
      idempotencyKey: String(repeating: "k", count: Limits.idempotencyKeyBytesMax),
      place: String(repeating: "p", count: Limits.placeBytesMax),
      link: String(repeating: "l", count: Limits.linkBytesMax), latitude: -90, longitude: -180)
    let posts = [SessionPost](
      repeating: SessionPost(token: TestSubmitServer.token, post: post), count: Limits.gatewayPostsMax)
    #expect(GatewayCodec.batch(posts, id: .max, connection: [1]).count < Limits.gatewayFrameBytesMax)
  }
}

extension SessionPostResult {
  /// The id of an accepted post.
  fileprivate var post: PostID? { if case .accepted(let id, _, _) = self { id } else { nil } }
}
