import Fuzzing
import Testing

@testable import Domain
@testable import Messaging

@Suite("Reactor sockets with mutated messages")
struct ReactorSocketFuzzTests {
  private struct Sockets {
    let routers: [any ReactorSocket]
    let others: [any ReactorSocket]
  }

  /// Opens reactor sockets and runs a round of messages on the reactor's thread. The round runs before the loop starts,
  /// because a socket that reconnects replaces sockets that the loop polls.
  ///
  /// - Returns: The number of messages that passed decoding and reached the state machines.
  private static func run(_ round: @escaping @Sendable (Sockets) -> Void) throws -> Int {
    let reached = Counter()
    let wake = WakeupEvent()
    let (jobs, changes) = (CommandQueue<JobServer.Command>(wake), CommandQueue<[FeedChange]>(wake))
    let submitted = CommandQueue<SubmitServer.Command>(wake)
    jobs.enqueue(.committed(.accepted((1...9).map { .post($0) })))
    changes.enqueue((7...9).map { .upsert(.sample($0)) })
    let (reactor, _) = try Reactor.start("fuzz", wake: wake) { context in
      // No peer listens here, so the sockets get only the messages of the test.
      let unusedEndpoint = try Endpoint("tcp://127.0.0.1:1")
      var batch: UInt64 = 0
      let publisher = try FeedPublisher(context, bind: .anyPort(), instance: "fuzz", logger: quiet) { 0 }
      publisher.replace(.sample(1...6), nowMs: Reactor.nowMs)
      let query = try FeedQueryServer(context, bind: .anyPort(), logger: quiet)
      query.replace(.sample(1...6))
      let (gatewayServer, gateway) = try gatewayLink(context, connect: unusedEndpoint, wake, reached)
      let routers: [any ReactorSocket] = [
        try JobServer(
          context, bind: .anyPort(), start: .sample(), commands: jobs, logger: quiet, perform: { _ in reached.add() }
        ),
        try ChangeServer(
          context, bind: .anyPort(), state: .sample(1...6), generation: 1, committedChanges: changes, logger: quiet),
        query,
        try SubmitServer(
          context, bind: .anyPort(), start: .sample(), commands: submitted, logger: quiet,
          onRequests: { requests in
            reached.add(requests.count)
            for request in requests {
              switch request {
              case .identify(let peer, let token):
                submitted.enqueue(.identified(peer: peer, token: token, .account(TestSubmitServer.account)))
              case .batch(let ticket, _, let posts):
                submitted.enqueue(.replied(ticket, .receipts(posts.map { _ in .accepted(.numbered(1)) })))
              case .query(let ticket, _, let ids):
                submitted.enqueue(.replied(ticket, .statuses(ids.map { ($0, nil) })))
              }
            }
          }),
        gatewayServer,
      ]
      let others: [any ReactorSocket] = [
        publisher,
        try JobClient(
          context, connect: [unusedEndpoint], worker: "w", instance: .init(repeating: 1, count: 16), software: "test/1",
          concurrency: 32, logger: quiet, joined: { reached.add() }, reply: { _, _ in .outcome(.notFound) }),
        try SubmitClient(
          context, connect: [unusedEndpoint], token: TestSubmitServer.token, logger: quiet,
          next: { _ in
            batch += 1
            return .batch(batch, [.sample(1), .sample(2)])
          }, event: { _ in reached.add() }),
        gateway,
      ]
      round(Sockets(routers: routers, others: others))
      return ([], ())
    }
    reactor.stop()
    return reached.value
  }

  /// Opens both ends of the gateway link. The gateway has some posts.
  private static func gatewayLink(
    _ context: Reactor.Context, connect endpoint: Endpoint, _ wake: WakeupEvent, _ reached: Counter
  ) throws -> (GatewayServer, GatewayClient) {
    let replies = CommandQueue<GatewayServer.Command>(wake)
    let commands = CommandQueue<GatewayClient.Command>(wake)
    for number in 0..<9 {
      commands.enqueue(
        .post(SessionPost(token: TestSubmitServer.token, post: .sample(number))) { _ in reached.add() })
    }
    let server = try GatewayServer(
      context, bind: .anyPort(), start: IngestStart(epoch: .filled(with: 1), generation: 3), site: .sample,
      commands: replies, logger: quiet,
      onRequest: { request in
        reached.add()
        switch request {
        case .posts(let ticket, let posts):
          replies.enqueue(
            .results(ticket, posts.map { _ in .accepted(.numbered(1), createdMs: 1, isReplayed: false) }))
        case .http(let ticket, let request, _):
          let work = PasswordHashWork(password: Secret("correct horse"), salt: [UInt8](0..<16))
          replies.enqueue(.hash(ticket, work) { _ in reached.add() })
          replies.enqueue(
            .response(ticket, ForwardedResponse(status: 200, headers: request.headers, body: request.body)))
        case .cancel, .endWait: break
        }
      })
    let client = try GatewayClient(
      context, connect: [endpoint], gateway: "fuzz", commands: commands,
      hashing: GatewayClient.Hashing(parallelMax: 2) { _, completion in
        reached.add()
        completion([UInt8](0..<32))
      }, logger: quiet, welcomed: { _, _ in reached.add() }, turnedAvailable: { _ in reached.add() })
    return (server, client)
  }

  @Test("Random messages at random times crash no reactor socket")
  func sockets() {
    let topics = [[1] + Array(Topic.join("abc").utf8), [0] + Array(Topic.join("abc").utf8)]
    let frames = FrameFuzzTests.frames + topics
    Fuzz.rounds(20) { random in
      let seed = random.next()
      return try Self.run { sockets in
        var random = SeededRandom(seed: seed)
        var nowMs = Reactor.nowMs
        var replica = FeedReplica(nowMs: nowMs)
        for _ in 0..<100 {
          nowMs += Int64(random.one(of: [0, 0, 0, 1, 50, 2_000, 7_000, 40_000]))
          let frame = random.one(of: frames)
          let message = random.below(3) == 0 ? frame : random.changed(frame, with: frames)
          for socket in sockets.routers { socket.receive([[UInt8(random.below(3))], message], nowMs: nowMs) }
          for socket in sockets.others { socket.receive([message], nowMs: nowMs) }
          // Test only the rules of a subscriber. Its socket would delay the end of the reactor until it has subscribed.
          if let frame = FeedFrame.read(message) { _ = replica.receive(frame, nowMs: nowMs) }
          for socket in sockets.routers + sockets.others { _ = socket.tick(nowMs: nowMs) }
        }
        for socket in sockets.routers + sockets.others { socket.shutDown() }
      } > 0
    }
  }
}
