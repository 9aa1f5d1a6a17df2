import Fuzzing
import Store

@testable import Domain

/// A gateway between one client and ingest. The client repeats a post only after an error or a broken connection, under
/// the same key. The gateway's connection keeps the order and loses nothing until it breaks, like TCP. A cut connection
/// loses everything.
struct SimulatedGateway {
  /// A post whose request has no other post, like a request over HTTP.
  struct HeldPost {
    let request: Request
    let sinceMs: Int64
  }

  /// Phase of the process.
  enum Phase {
    case running, stopping, ended
  }

  /// State at the end of the waits of a process that stops.
  struct WaitsEnd {
    let atMs: Int64
    /// The connected run of ingest. Nil without a connection.
    let generation: UInt32?
    let connection: Int
  }

  var phase = Phase.running
  /// Number of the processes that have ended.
  var incarnation = 0
  /// Nil before the end of the waits.
  var waitsEnd: WaitsEnd?
  /// Time of the last message from ingest, or of the process's start.
  var heardMs: Int64 = 0
  /// Time from which the client sends most of its posts.
  var burstMs: Int64 = 0

  var held = HeldRequests(nowMs: 0)
  /// Posts that are in no frame, oldest first.
  var waitingPosts: [HeldPost] = []
  /// Posts of the frames without a reply.
  var frames: [HeldRequests.ID: [HeldPost]] = [:]
  /// Number of frames so far.
  var lastFrame: HeldRequests.ID = 0
  /// Number of connections so far. Each has another routing id at ingest.
  var connection = 0
  /// Time from which the connection exists.
  var connectedMs: Int64 = 0
  /// True while the connection loses everything, until it breaks.
  var isCut = false
  /// Time until which no new connection is possible.
  var cutUntilMs: Int64 = 0
  /// Time of the next tick.
  var dueMs = Int64.max
  /// Times at which the last messages arrive, in each direction.
  var arrivals: (atIngestMs: Int64, atGatewayMs: Int64) = (0, 0)
  /// Number of frames that were sent again after a loss.
  var repeats = 0
  /// Number of frames that ingest did not execute.
  var refusals = 0
  /// Number of frames with several posts.
  var sharedFrames = 0
  /// Number of times that a post waited for the reply to a frame.
  var postWaits = 0
  /// Number of graceful stops.
  var stops = 0
  /// Number of posts without a response at the end of the waits.
  var lastPosts = 0
  /// Number of posts whose clients lost their connection, because the process ended.
  var brokenPosts = 0
  var sent: Set<HeldRequests.ID> = []

  /// Posts without a response, in a fixed order.
  var openPosts: [HeldPost] { frames.sorted { $0.key < $1.key }.flatMap { $0.value } + waitingPosts }

  /// Routing id of a connection at ingest.
  static func peer(_ connection: Int) -> [UInt8] { withUnsafeBytes(of: UInt32(connection).bigEndian) { Array($0) } }
}

/// A message of the gateway to one run of ingest.
struct GatewayMessage {
  /// The posts of a frame. Nil for a Hello.
  let request: (id: HeldRequests.ID, request: Request, connectionName: [UInt8])?
  let connection: Int
  let generation: UInt32
}

/// A message of ingest to the gateway.
enum GatewayAnswer {
  case welcome(HeldRequests.Connection)
  /// Ids of the posts. Nil if the store has refused the write.
  case results(HeldRequests.ID, [PostID]?)
  case notExecuted(HeldRequests.ID, HeldRequests.Refusal, HeldRequests.Connection)
}

extension Simulation {
  /// Index of the client behind the gateway.
  static let gatewayClient = 2

  func startGateway() {
    tickGateway()
    for _ in 0..<3 { eventQueue.schedule(.gatewayConnectionBreaks, inMs: random.between(100, Simulation.faultsMs)) }
    for _ in 0..<2 { eventQueue.schedule(.gatewayIsCut, inMs: random.between(100, Simulation.faultsMs)) }
    if random.happens(50) { eventQueue.schedule(.ingestShutsDown, inMs: random.between(1_000, Simulation.faultsMs)) }
    if random.happens(50) { eventQueue.schedule(.gatewayStops, inMs: gateway.burstMs + random.between(0, 1_000)) }
  }

  func performAtGateway(_ event: Event) {
    switch event {
    case .gatewayReceives(let request): gatewayReceives(request)
    case .gatewayTicks(let atMs): if gateway.dueMs == atMs { tickGateway() }
    case .gatewayAnswerArrives(let answer, let connection): gatewayReceives(answer, on: connection)
    case .gatewayConnectionBreaks: breakGatewayConnection(pauseMs: random.between(50, 500))
    case .gatewayIsCut: (gateway.isCut, gateway.cutUntilMs) = (true, nowMs + random.between(500, 8_000))
    case .gatewayStops: stopGateway()
    case .gatewayEndsWaits(let incarnation): if gateway.incarnation == incarnation { endGatewayWaits() }
    case .gatewayTimesOut(let incarnation): if gateway.incarnation == incarnation { timeOutGateway() }
    case .gatewayIsKilled(let incarnation): if gateway.incarnation == incarnation { endGateway() }
    case .gatewayStarts: restartGateway()
    default: break
    }
  }

  /// Receives posts of the client.
  private func gatewayReceives(_ request: Request) {
    // The process does not listen. The client tries to connect again.
    guard gateway.phase == .running else {
      return eventQueue.schedule(.gatewayReceives(request), inMs: random.between(100, 1_000))
    }
    for post in request.posts {
      var single = request
      single.posts = [post]
      gateway.waitingPosts.append(.init(request: single, sinceMs: nowMs))
    }
    tickGateway()
  }

  /// Performs the due work, in the order of `GatewayClient`.
  func tickGateway() {
    expirePosts()
    formFrames()
    perform(gateway.held.tick(nowMs: nowMs))
    if gateway.phase == .stopping, gateway.openPosts.isEmpty { return endGateway() }
    let holdMs = gateway.waitingPosts.first.map { $0.sinceMs + Limits.gatewayHoldMs } ?? .max
    let dueMs = max(min(gateway.held.nextMs(nowMs: nowMs), holdMs), nowMs + 1)
    guard dueMs < gateway.dueMs || gateway.dueMs <= nowMs else { return }
    gateway.dueMs = dueMs
    eventQueue.schedule(.gatewayTicks(atMs: dueMs), inMs: dueMs - nowMs)
  }

  /// Ends the posts that have waited too long for a frame, or that may not wait.
  private func expirePosts() {
    let expired = gateway.waitingPosts.prefix { nowMs - $0.sinceMs >= Limits.gatewayHoldMs || !gateway.held.holds }
    gateway.waitingPosts.removeFirst(expired.count)
    for post in expired { repeatLater(post.request) }
  }

  /// Puts waiting posts into frames, as far as `PostFrames` permits.
  private func formFrames() {
    while true {
      let sent = gateway.frames.values.reduce(0) { $0 + $1.count }
      let count = PostFrames.nextCount(waiting: gateway.waitingPosts.count, sent: sent, frames: gateway.frames.count)
      guard count > 0 else { break }
      let posts = Array(gateway.waitingPosts.prefix(count))
      gateway.waitingPosts.removeFirst(count)
      gateway.lastFrame += 1
      gateway.frames[gateway.lastFrame] = posts
      gateway.held.add(gateway.lastFrame, isRepeatable: true, sinceMs: posts.first?.sinceMs, nowMs: nowMs)
      if count > 1 { gateway.sharedFrames += 1 }
    }
    if !gateway.waitingPosts.isEmpty { gateway.postWaits += 1 }
  }

  /// Performs effects as `GatewayClient` does.
  func perform(_ effects: [HeldRequests.Effect]) {
    for effect in effects {
      switch effect {
      case .send(let id): if !send(id) { gateway.held.recordUnsent(id, nowMs: nowMs) }
      case .hello: send(GatewayMessage(request: nil, connection: gateway.connection, generation: 0))
      case .reconnect: breakGatewayConnection(pauseMs: random.between(1, 100))
      case .fail(let id, _):
        for post in gateway.frames.removeValue(forKey: id) ?? [] { repeatLater(post.request) }
      case .turnedAvailable(let isAvailable):
        trace("ingest is \(isAvailable ? "available" : "unavailable") for the gateway")
        if !isAvailable, injectedBug == .forgetsHeldRequests {
          for id in gateway.frames.keys.sorted() { _ = gateway.held.cancel(id) }
        }
      case .cancel: ledger.recordViolation("the gateway cancels a request")
      // Posts in a frame wait for no outcome.
      case .endWait: break
      }
    }
  }

  private func send(_ id: HeldRequests.ID) -> Bool {
    guard let posts = gateway.frames[id], var request = posts.first?.request,
      let connection = gateway.held.connection
    else { return true }
    request.posts = posts.flatMap(\.request.posts)
    if injectedBug == .repeatsUnderNewKey, gateway.sent.contains(id) {
      for index in request.posts.indices {
        request.posts[index].idempotency = .init(
          key: "again \(nowMs) \(request.posts[index].key)",
          requestHash: request.posts[index].idempotency.requestHash)
      }
    }
    let message = GatewayMessage(
      request: (id, request, connection), connection: gateway.connection, generation: 0)
    guard send(message) else { return false }
    if !gateway.sent.insert(id).inserted { gateway.repeats += 1 }
    return true
  }

  /// Returns false if there is no connection.
  @discardableResult
  private func send(_ message: GatewayMessage) -> Bool {
    guard let generation = ingest?.generation, nowMs >= gateway.connectedMs else { return false }
    guard !gateway.isCut else { return true }
    gateway.arrivals.atIngestMs = max(gateway.arrivals.atIngestMs, nowMs + random.between(1, isCalm ? 20 : 200))
    let sent = GatewayMessage(request: message.request, connection: message.connection, generation: generation)
    eventQueue.schedule(.gatewayMessageArrives(sent), inMs: gateway.arrivals.atIngestMs - nowMs)
    return true
  }

  /// Processes a message at ingest, as `GatewayServer` does.
  func ingestReceives(_ message: GatewayMessage) async throws {
    // The messages to a process end with it. Those of a broken connection may still arrive.
    guard ingest?.generation == message.generation else { return }
    guard message.connection == gateway.connection || random.happens(50) else { return }
    let peer = SimulatedGateway.peer(message.connection)
    guard let (id, request, connectionName) = message.request else {
      let name = ingest?.gateways.connection(of: peer)
      return answer(name.map { .welcome($0) } ?? .notExecuted(0, .shutdown, []), on: message.connection)
    }
    let ticket = GatewayAdmission.Ticket(peer: peer, request: id)
    switch ingest?.gateways.begin(ticket, on: connectionName, bytes: nil) {
    case .admit?:
      var request = request
      request.gateway = (ticket, message.connection)
      try await ingestReceives(request)
    case .refuse(let refusal)?:
      gateway.refusals += 1
      answer(.notExecuted(id, refusal, connectionName), on: message.connection)
    case .open?: ledger.recordViolation("request \(id) of the gateway is open twice on one connection")
    case nil: break
    }
  }

  /// Sends ingest's results to the gateway.
  func respond(to ticket: GatewayAdmission.Ticket, _ ids: [PostID]?, on connection: Int) {
    guard ingest?.gateways.end(ticket) == true else { return }
    answer(.results(ticket.request, ids), on: connection)
  }

  private func answer(_ answer: GatewayAnswer, on connection: Int) {
    guard !gateway.isCut else { return }
    gateway.arrivals.atGatewayMs = max(gateway.arrivals.atGatewayMs, nowMs + random.between(1, isCalm ? 20 : 200))
    eventQueue.schedule(
      .gatewayAnswerArrives(answer, connection: connection), inMs: gateway.arrivals.atGatewayMs - nowMs)
  }

  private func gatewayReceives(_ answer: GatewayAnswer, on connection: Int) {
    guard connection == gateway.connection else { return }
    gateway.heardMs = nowMs
    switch answer {
    case .welcome(let welcome): perform(gateway.held.welcome(welcome, nowMs: nowMs))
    case .results(let id, let ids):
      guard gateway.held.complete(id, nowMs: nowMs), let posts = gateway.frames.removeValue(forKey: id) else { break }
      ledger.expect(ids.map { $0.count == posts.count } ?? true, "frame \(id) has a wrong number of results")
      for (index, post) in posts.enumerated() {
        if let ids, index < ids.count {
          eventQueue.schedule(.responseArrives(post.request, [ids[index]]), inMs: random.between(1, 20))
        } else {
          repeatLater(post.request)
        }
      }
    case .notExecuted(let id, let refusal, let named):
      perform(gateway.held.refuse(id, refusal, on: named, nowMs: nowMs))
    }
    tickGateway()
  }

  /// Breaks the connection. The messages to the gateway are lost, and some of those to ingest.
  func breakGatewayConnection(pauseMs: Int64) {
    gateway.connection += 1
    gateway.isCut = false
    gateway.connectedMs = max(nowMs + pauseMs, gateway.cutUntilMs)
  }

  /// Lets the client repeat a post under the same key, after an error or a broken connection.
  func repeatLater(_ request: Request) {
    eventQueue.schedule(.gatewayReceives(request), inMs: random.between(1_000, 3_000))
  }
}
