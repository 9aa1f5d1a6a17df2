import Synchronization
import Testing

@testable import Domain
@testable import Messaging

/// Ingest's end of the gateway link on its own reactor. It stores only the idempotency keys and ids of posts, and
/// responds to every HTTP request with the request's body.
final class TestGatewayServer: Sendable {
  private struct State {
    var ids: [String: PostID] = [:]
    var executed: [String] = []
    var cancelled = 0
    var endedWaits = 0
    var frames = 0
    var isSilent = false
    var held: [GatewayServer.Command] = []
    var lastRequest: (ticket: GatewayServer.Ticket, hashesMax: Int)?
  }

  private let state = Mutex(State())
  private let commands: CommandQueue<GatewayServer.Command>
  private let wake = WakeupEvent()
  private let generation: UInt32
  private let site: GatewaySite

  init(generation: UInt32, site: GatewaySite = .sample) {
    self.generation = generation
    self.site = site
    commands = CommandQueue(wake)
  }

  /// Starts the server. The caller stops the reactor.
  func start(_ bind: Endpoint) throws -> Reactor {
    try Reactor.start("ingest", wake: wake) { [self] context in
      let server = try GatewayServer(
        context, bind: bind, start: IngestStart(epoch: .filled(with: 1), generation: generation), site: site,
        commands: commands, logger: quiet, onRequest: { self.handle($0) })
      return ([server], ())
    }.reactor
  }

  /// Targets of the executed HTTP requests, in order.
  var executed: [String] { state.withLock { $0.executed } }
  /// Number of distinct posts.
  var stored: Int { state.withLock { $0.ids.count } }
  /// Number of frames with posts.
  var frames: Int { state.withLock { $0.frames } }
  var cancelled: Int { state.withLock { $0.cancelled } }
  /// Number of requests whose waits must end.
  var endedWaits: Int { state.withLock { $0.endedWaits } }
  /// Number of requests whose replies are held back.
  var held: Int { state.withLock { $0.held.count } }

  /// Holds back the replies while `isSilent` is true, and sends them when it becomes false.
  func setSilent(_ isSilent: Bool) {
    let held = state.withLock { state in
      state.isSilent = isSilent
      defer { if !isSilent { state.held = [] } }
      return isSilent ? [] : state.held
    }
    for command in held { commands.enqueue(command) }
  }

  /// Number of password hashes that the gateway of the last HTTP request computes at a time. Nil without a request.
  var hashesMax: Int? { state.withLock { $0.lastRequest?.hashesMax } }

  /// Asks the gateway of the last HTTP request for a password hash.
  func hash(_ work: PasswordHashWork = .sample) async -> Result<[UInt8], GatewayHashes.Failure> {
    guard let ticket = state.withLock({ $0.lastRequest?.ticket }) else { return .failure(.gone) }
    return await withCheckedContinuation { continuation in
      commands.enqueue(.hash(ticket, work) { continuation.resume(returning: $0) })
    }
  }

  /// Begins the shutdown. Returns when all open requests have their replies.
  func shutDown() async throws {
    let isDone = OneShot<Void>()
    commands.enqueue(.shutDown { isDone.set(()) })
    try await isDone.value
  }

  private func handle(_ request: GatewayServer.Request) {
    let command: GatewayServer.Command? = state.withLock { state in
      let command: GatewayServer.Command
      switch request {
      case .posts(let ticket, let posts):
        state.frames += 1
        command = .results(
          ticket,
          posts.map { post in
            let known = state.ids[post.post.idempotencyKey]
            let id = known ?? .numbered(UInt64(state.ids.count + 1))
            state.ids[post.post.idempotencyKey] = id
            return .accepted(id, createdMs: 1, isReplayed: known != nil)
          })
      case .http(let ticket, let request, let hashesMax):
        state.lastRequest = (ticket, hashesMax)
        state.executed.append(request.target)
        command = .response(ticket, ForwardedResponse(status: 200, headers: request.headers, body: request.body))
      case .cancel:
        state.cancelled += 1
        return nil
      case .endWait:
        state.endedWaits += 1
        return nil
      }
      guard state.isSilent else { return command }
      state.held.append(command)
      return nil
    }
    if let command { commands.enqueue(command) }
  }
}

/// A gateway's end of the link on its own reactor.
final class TestGateway: Sendable {
  private let commands: CommandQueue<GatewayClient.Command>
  private let reactor: Reactor
  private let seen: Seen

  /// The latest availability of ingest, and the start and the site of its last Welcome.
  private final class Seen: Sendable {
    let isAvailable = Mutex(false)
    let welcome = Mutex<(start: IngestStart?, site: GatewaySite?)>((nil, nil))
  }

  init(_ endpoints: Endpoint..., hashing: GatewayClient.Hashing? = nil) throws {
    let wake = WakeupEvent()
    let (commands, seen) = (CommandQueue<GatewayClient.Command>(wake), Seen())
    (self.commands, self.seen) = (commands, seen)
    reactor = try Reactor.start("gateway", wake: wake) { context in
      let client = try GatewayClient(
        context, connect: endpoints, gateway: "test", commands: commands, hashing: hashing, logger: quiet,
        welcomed: { start, site in seen.welcome.withLock { $0 = (start, site) } },
        turnedAvailable: { isAvailable in seen.isAvailable.withLock { $0 = isAvailable } })
      return ([client], ())
    }.reactor
  }

  var isAvailable: Bool { seen.isAvailable.withLock { $0 } }
  /// The site of the last Welcome.
  var site: GatewaySite? { seen.welcome.withLock { $0.site } }
  /// The start of the last Welcome.
  var start: IngestStart? { seen.welcome.withLock { $0.start } }

  func stop() { reactor.stop() }

  func post(_ number: Int) async -> Result<SessionPostResult, GatewayClient.Failure> {
    await withCheckedContinuation { continuation in
      commands.enqueue(
        .post(SessionPost(token: TestSubmitServer.token, post: .sample(number))) { continuation.resume(returning: $0) })
    }
  }

  func request(
    _ number: UInt64, _ request: ForwardedRequest, isRepeatable: Bool = true
  ) async -> Result<ForwardedResponse, GatewayClient.Failure> {
    await withCheckedContinuation { continuation in
      commands.enqueue(
        .request(number, request, isRepeatable: isRepeatable) { continuation.resume(returning: $0) })
    }
  }

  func cancel(_ number: UInt64) { commands.enqueue(.cancel(number)) }

  func endWaits() { commands.enqueue(.endWaits) }
}

extension PasswordHashWork {
  static let sample = PasswordHashWork(password: Secret("correct horse"), salt: [UInt8](0..<16))
}

extension GatewaySite {
  static let sample = GatewaySite(
    isSecure: true, allowedOrigins: ["https://app.example.org", "http://localhost:3000"], isMapPublic: true)
}

extension ForwardedRequest {
  static func sample(_ target: String, bytes: Int = 5) -> ForwardedRequest {
    ForwardedRequest(
      method: "POST", target: target, authority: "map.example.org",
      headers: [Header(name: "Accept", value: "*/*"), Header(name: "X-Empty", value: "")],
      body: [UInt8](repeating: 7, count: bytes), clientAddress: "192.0.2.1")
  }
}
