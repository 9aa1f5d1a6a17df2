package import Domain
package import Logging
import Metrics
import SwiftProtobuf
import Telemetry

/// A gateway's end of the gateway link: a DEALER, driven by `HeldRequests`. It batches posts, and holds every request
/// until ingest's reply.
package final class GatewayClient: ReactorSocket {
  /// The end of a request without a reply.
  package enum Failure: Error, Sendable, Hashable {
    /// Ingest was not available in time. It has not executed the request.
    case unavailable
    /// Ingest may have executed the request.
    case unknownOutcome
    /// The client has disconnected.
    case cancelled
    /// The gateway holds too many requests. Ingest has not executed the request.
    case busy
    /// Ingest cannot process the frame. The text is for people.
    case refused(String)
  }

  /// A request of the gateway. Each one ends with exactly one call of its completion, on the reactor's thread. A
  /// completion must not block.
  package enum Command: Sendable {
    /// Submits a post. The post has an idempotency key, so the gateway may send it again.
    case post(SessionPost, @Sendable (Result<SessionPostResult, Failure>) -> Void)
    /// Forwards an HTTP request under the caller's number.
    case request(
      UInt64, ForwardedRequest, isRepeatable: Bool, @Sendable (Result<ForwardedResponse, Failure>) -> Void)
    /// The client of a request has disconnected. Does nothing for a request that has ended.
    case cancel(UInt64)
    /// Ends all waits, because the gateway shuts down. Ingest replies to the requests that wait for an outcome, and
    /// requests that cannot be sent fail.
    case endWaits
    /// The result of a password hash of `Hashing`. Nil if it was not computed.
    case hashed(HashTicket, [UInt8]?)
  }

  /// The password hashes that a gateway computes for ingest.
  package struct Hashing: Sendable {
    /// Number of hashes that the gateway computes at a time, 1 or more.
    package let parallelMax: Int
    /// Begins a hash within its limits. It calls back once, on any thread, with nil if it did not compute the hash. It
    /// must not block.
    package let begin: @Sendable (PasswordHashWork, @escaping @Sendable ([UInt8]?) -> Void) -> Void

    package init(
      parallelMax: Int, begin: @escaping @Sendable (PasswordHashWork, @escaping @Sendable ([UInt8]?) -> Void) -> Void
    ) {
      self.parallelMax = parallelMax
      self.begin = begin
    }
  }

  /// The destination of a password hash.
  package struct HashTicket: Sendable {
    /// The connection on which ingest requested the hash.
    fileprivate let connection: HeldRequests.Connection
    fileprivate let request: UInt64
    fileprivate let number: UInt64
  }

  private struct WaitingPost {
    let post: SessionPost
    let sinceMs: Int64
    let completion: @Sendable (Result<SessionPostResult, Failure>) -> Void
  }

  private enum Open {
    case posts([WaitingPost])
    case request(ForwardedRequest, @Sendable (Result<ForwardedResponse, Failure>) -> Void)
  }

  package let socket: Socket
  private let connection: ClientConnection
  private let gateway: String
  private let commands: CommandQueue<Command>
  private let logger: Logger
  private let hashing: Hashing?
  private let welcomed: @Sendable (IngestStart?, GatewaySite?) -> Void
  private let turnedAvailable: @Sendable (Bool) -> Void
  private var held: HeldRequests
  /// True if ingest knows EndWait. An earlier version would refuse it, and so end the request.
  private var knowsEndWait = false
  private var open: [UInt64: Open] = [:]
  /// Posts that are in no frame yet, oldest first.
  private var waitingPosts: [WaitingPost] = []
  private var postFrames = 0
  private var postsHeld = 0
  private var bytesHeld = 0
  /// Number of the last post frame. Numbers of post frames are odd, and those of requests are even.
  private var lastFrame: UInt64 = 1
  private var malformed = MalformedFrames("gateway")
  private let reconnects = Metric.linkReconnects.counter("gateway")

  /// Creates the client, and connects its socket to the first address. Reactor's thread only, like every method here.
  ///
  /// - Parameters:
  ///   - endpoints: At least one address of ingest, in the order in which to try them.
  ///   - gateway: Name of the gateway for people, at most `Limits.peerNameBytesMax` bytes.
  ///   - curve: Keys of the gateway and of the link, the same for all addresses. Nil disables encryption.
  ///   - hashing: The password hashes that the gateway computes. Nil for none.
  ///   - welcomed: Handler of each Welcome, several a second, before requests use its connection. It must not block. An
  ///     earlier version of ingest may omit its start or the site.
  ///   - turnedAvailable: Handler of a change of ingest's availability. It must not block. The client begins
  ///     unavailable.
  package init(
    _ context: Reactor.Context, connect endpoints: [Endpoint], gateway: String, curve: CurveClient? = nil,
    commands: CommandQueue<Command>, hashing: Hashing? = nil, logger: Logger,
    welcomed: @escaping @Sendable (IngestStart?, GatewaySite?) -> Void,
    turnedAvailable: @escaping @Sendable (Bool) -> Void
  ) throws(LinkError) {
    socket = try context.socket(.dealer, frameBytesMax: Limits.gatewayReplyFrameBytesMax)
    try socket.set(ZMQOption.immediate, 1)
    connection = try ClientConnection(context, socket, connect: endpoints, as: .gateway, curve: curve, logger: logger)
    self.gateway = gateway
    self.commands = commands
    self.logger = logger
    self.hashing = hashing
    self.welcomed = welcomed
    self.turnedAvailable = turnedAvailable
    held = HeldRequests(nowMs: Reactor.nowMs)
  }

  package func receive(_ frames: [[UInt8]], nowMs: Int64) {
    if frames.count == 1, let (id, results) = GatewayCodec.results(frames[0]) {
      return finish(id, results, nowMs: nowMs)
    }
    guard let reply = GatewayReply(frames) else { return logOnce("not a GatewayReply of this protocol", nowMs: nowMs) }
    switch reply.body {
    case .welcome(let welcome): receive(welcome, nowMs: nowMs)
    case .results(let results): finish(reply.requestID, results.results.compactMap(\.result), nowMs: nowMs)
    case .response(let response): finish(reply.requestID, .success(response.response), nowMs: nowMs)
    case .notExecuted(let refusal):
      perform(
        held.refuse(
          reply.requestID, refusal.reason.refusal, on: Array(refusal.connection), nowMs: nowMs), nowMs: nowMs)
    case .hashPassword(let hash): begin(hash, request: reply.requestID, nowMs: nowMs)
    case .error(let error):
      logOnce(error.detail, nowMs: nowMs)
      // Error with the number 0 concerns no request.
      guard reply.requestID != 0, held.complete(reply.requestID, nowMs: nowMs) else { return }
      fail(reply.requestID, .refused(error.detail))
    case nil:
      logOnce("a GatewayReply without a known body", nowMs: nowMs)
      if held.complete(reply.requestID, nowMs: nowMs) { fail(reply.requestID, .refused("a reply of another version")) }
    }
  }

  private func receive(_ welcome: Onthemap_Gateway_V1_Welcome, nowMs: Int64) {
    guard (1...Limits.gatewayConnectionBytesMax).contains(welcome.connection.count) else {
      return logOnce("a Welcome without a valid connection", nowMs: nowMs)
    }
    guard connection.admits(welcome.start) else {
      _ = connection.leave(.lowerGeneration, retryAfterMs: Limits.livenessMs, nowMs: nowMs)
      return
    }
    connection.answered()
    knowsEndWait = welcome.hasSite
    welcomed(welcome.start, welcome.hasSite ? welcome.site.site : nil)
    perform(held.welcome(Array(welcome.connection), nowMs: nowMs), nowMs: nowMs)
  }

  private func finish(_ id: UInt64, _ results: [SessionPostResult], nowMs: Int64) {
    guard case .posts(let posts)? = open[id] else { return }
    guard held.complete(id, nowMs: nowMs) else { return }
    guard results.count == posts.count else {
      logOnce("a wrong number of results", nowMs: nowMs)
      return fail(id, .refused("a wrong number of results"))
    }
    close(id)
    for (post, result) in zip(posts, results) { post.completion(.success(result)) }
  }

  private func finish(_ id: UInt64, _ response: Result<ForwardedResponse, Failure>, nowMs: Int64) {
    guard case .request(_, let completion)? = open[id], held.complete(id, nowMs: nowMs) else { return }
    close(id)
    completion(response)
  }

  /// Begins a password hash. Refuses one above the limits, so that ingest computes it.
  private func begin(_ hash: Onthemap_Gateway_V1_HashPassword, request: UInt64, nowMs: Int64) {
    guard let connection = held.connection else { return }
    let ticket = HashTicket(connection: connection, request: request, number: hash.number)
    guard let hashing, hash.work.isWithinLimits else { return reply(ticket, nil, nowMs: nowMs) }
    hashing.begin(hash.work) { [commands] in commands.enqueue(.hashed(ticket, $0)) }
  }

  /// Sends a password hash. If the connection has changed or is full, ingest computes the hash after its timeout.
  private func reply(_ ticket: HashTicket, _ hash: [UInt8]?, nowMs: Int64) {
    guard ticket.connection == held.connection else { return }
    let body = GatewayFrame.OneOf_Body.passwordHash(.init(hash, number: ticket.number))
    _ = connection.send(GatewayFrame(id: ticket.request, connection: ticket.connection, body).bytes, nowMs: nowMs)
  }

  package func tick(nowMs: Int64) -> Int64 {
    // `HeldRequests` says Hello on the new connection, and sends the requests again after its Welcome.
    _ = connection.tick(nowMs: nowMs)
    for command in commands.drain() { receive(command, nowMs: nowMs) }
    expirePosts(nowMs: nowMs)
    formFrames(nowMs: nowMs)
    perform(held.tick(nowMs: nowMs), nowMs: nowMs)
    return min(
      held.nextMs(nowMs: nowMs), connection.nextMs, waitingPosts.first.map { $0.sinceMs + Limits.gatewayHoldMs } ?? .max
    )
  }

  /// Does nothing. The gateway's HTTP server has ended its requests before.
  package func shutDown() {}

  private func receive(_ command: Command, nowMs: Int64) {
    switch command {
    case .post(let post, let completion):
      guard postsHeld < Limits.gatewayPostsHeldMax else { return completion(.failure(.busy)) }
      postsHeld += 1
      waitingPosts.append(WaitingPost(post: post, sinceMs: nowMs, completion: completion))
    case .request(let number, let request, let isRepeatable, let completion):
      guard held.count < Limits.gatewayRequestsMax, bytesHeld + request.body.count <= Limits.gatewayBytesMax else {
        return completion(.failure(.busy))
      }
      bytesHeld += request.body.count
      open[number * 2] = .request(request, completion)
      held.add(number * 2, isRepeatable: isRepeatable, nowMs: nowMs)
    case .cancel(let number):
      guard open[number * 2] != nil else { return }
      perform(held.cancel(number * 2), nowMs: nowMs)
      fail(number * 2, .cancelled)
    case .endWaits: perform(held.endWaits(), nowMs: nowMs)
    case .hashed(let ticket, let hash): reply(ticket, hash, nowMs: nowMs)
    }
  }

  /// Puts waiting posts into frames, as far as `PostFrames` permits.
  private func formFrames(nowMs: Int64) {
    while true {
      let sent = postsHeld - waitingPosts.count
      let count = PostFrames.nextCount(waiting: waitingPosts.count, sent: sent, frames: postFrames)
      guard count > 0 else { return }
      let posts = Array(waitingPosts.prefix(count))
      waitingPosts.removeFirst(count)
      lastFrame += 2
      postFrames += 1
      open[lastFrame] = .posts(posts)
      held.add(lastFrame, isRepeatable: true, sinceMs: posts.first?.sinceMs, nowMs: nowMs)
    }
  }

  /// Ends the posts that have waited too long for a frame, or that may not wait.
  private func expirePosts(nowMs: Int64) {
    let expired = waitingPosts.prefix { nowMs - $0.sinceMs >= Limits.gatewayHoldMs || !held.holds }
    guard !expired.isEmpty else { return }
    waitingPosts.removeFirst(expired.count)
    postsHeld -= expired.count
    for post in expired { post.completion(.failure(.unavailable)) }
  }

  private func perform(_ effects: [HeldRequests.Effect], nowMs: Int64) {
    for effect in effects {
      switch effect {
      case .send(let id): if !send(id, nowMs: nowMs) { held.recordUnsent(id, nowMs: nowMs) }
      case .hello:
        _ = connection.send(
          GatewayFrame(id: 0, connection: [], .hello(hello)).bytes, nowMs: nowMs)
      case .reconnect:
        reconnects.increment()
        _ = connection.reconnect(nowMs: nowMs)
      case .cancel(let id):
        _ = connection.send(GatewayFrame(id: id, connection: connectionName, .cancel(.init())).bytes, nowMs: nowMs)
      case .endWait(let id):
        // Posts in a batch wait for no outcome.
        guard knowsEndWait, case .request? = open[id] else { continue }
        _ = connection.send(GatewayFrame(id: id, connection: connectionName, .endWait(.init())).bytes, nowMs: nowMs)
      case .fail(let id, .unavailable): fail(id, .unavailable)
      case .fail(let id, .unknownOutcome): fail(id, .unknownOutcome)
      case .turnedAvailable(let isAvailable):
        if isAvailable {
          logger.notice("ingest available", metadata: ["endpoint": "\(connection.endpoint)"])
        } else {
          logger.warning("ingest unavailable: holding requests", metadata: ["endpoint": "\(connection.endpoint)"])
        }
        turnedAvailable(isAvailable)
      }
    }
  }

  private var hello: Onthemap_Gateway_V1_Hello {
    .with {
      $0.gateway = gateway
      $0.passwordHashes = UInt32(clamping: hashing?.parallelMax ?? 0)
    }
  }

  private var connectionName: [UInt8] { held.connection ?? [] }

  /// Sends a request. Returns false if there is no connection, or if the connection is full.
  private func send(_ id: UInt64, nowMs: Int64) -> Bool {
    switch open[id] {
    case .posts(let posts)?:
      connection.send(GatewayCodec.batch(posts.map(\.post), id: id, connection: connectionName), nowMs: nowMs)
    case .request(let request, _)?:
      connection.send(GatewayFrame(id: id, connection: connectionName, .request(.init(request))).bytes, nowMs: nowMs)
    case nil: true
    }
  }

  private func fail(_ id: UInt64, _ failure: Failure) {
    switch open[id] {
    case .posts(let posts)?:
      close(id)
      for post in posts { post.completion(.failure(failure)) }
    case .request(_, let completion)?:
      close(id)
      completion(.failure(failure))
    case nil: break
    }
  }

  private func close(_ id: UInt64) {
    switch open.removeValue(forKey: id) {
    case .posts(let posts)?:
      postFrames -= 1
      postsHeld -= posts.count
    case .request(let request, _)?: bytesHeld -= request.body.count
    case nil: break
    }
  }

  private func logOnce(_ reason: String, nowMs: Int64) {
    guard malformed.add(nowMs: nowMs) else { return }
    malformed.log(reason, to: logger)
  }
}
