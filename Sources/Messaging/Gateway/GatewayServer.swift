package import Domain
import FoundationEssentials
package import Logging
import SwiftProtobuf

/// Ingest's end of the gateway link: a ROUTER that receives posts and HTTP requests from gateways.
///
/// Requests leave through `onRequest`, and their replies return as `Command`. The server itself uses no disk. If a
/// reply cannot be sent, the gateway has disconnected. It repeats the request on its next connection.
package final class GatewayServer: ReactorSocket {
  /// The destination of a reply.
  package typealias Ticket = GatewayAdmission.Ticket

  /// A request to ingest.
  package enum Request: Sendable {
    /// Submits 1 to `Limits.gatewayPostsMax` posts. The reply has one result for each post.
    case posts(Ticket, [SessionPost])
    /// Asks for the response to an HTTP request. `hashesMax` is the number of password hashes that the gateway computes
    /// at a time. With 0, ingest computes those of the request.
    case http(Ticket, ForwardedRequest, hashesMax: Int)
    /// The client of an HTTP request has disconnected.
    case cancel(Ticket)
    /// An HTTP request must not wait any longer, because its gateway shuts down.
    case endWait(Ticket)
  }

  /// A command from ingest. Any thread may enqueue it.
  package enum Command: Sendable {
    /// Results in the batch's order. Accepted posts are durable.
    case results(Ticket, [SessionPostResult])
    case response(Ticket, ForwardedResponse)
    /// Asks the gateway of an open request for a password hash. The callback comes once, on the reactor's thread, and
    /// must not block.
    case hash(Ticket, PasswordHashWork, HashCallback)
    /// Executes no more requests, and calls back when the open requests have their replies.
    case shutDown(@Sendable () -> Void)
  }

  /// Callback with the result of a password hash.
  package typealias HashCallback = @Sendable (Result<[UInt8], GatewayHashes.Failure>) -> Void

  package let socket: Socket
  /// Address with the actual port.
  package let endpoint: Endpoint
  private let commands: CommandQueue<Command>
  private let logger: Logger
  private let onRequest: @Sendable (Request) -> Void
  private let start: IngestStart
  private let site: GatewaySite
  private var admission: GatewayAdmission
  private var hashes = GatewayHashes()
  /// Callbacks of the hashes that are open at gateways, by number.
  private var hashCallbacks: [UInt64: HashCallback] = [:]
  /// Called when the shutdown has no open requests.
  private var isShutDownCallback: (@Sendable () -> Void)?
  private let unread: SendBufferLimit
  private var malformed = MalformedFrames("gateway")

  /// Creates the server. Reactor's thread only, like every method here.
  ///
  /// - Parameters:
  ///   - start: This start of ingest.
  ///   - site: The site, for gateways' own responses.
  ///   - curve: Keys of the link. Nil disables encryption.
  ///   - unreadBytesMax: Maximum bytes of unread responses, for all gateways together.
  ///   - onRequest: Handler of requests. It runs on the reactor's thread and must not block.
  package init(
    _ context: Reactor.Context, bind: Endpoint, start: IngestStart, site: GatewaySite, curve: CurveServer? = nil,
    commands: CommandQueue<Command>, unreadBytesMax: Int = Limits.gatewayUnreadBytesMax, logger: Logger,
    onRequest: @escaping @Sendable (Request) -> Void
  ) throws(LinkError) {
    socket = try context.socket(.router, frameBytesMax: Limits.gatewayFrameBytesMax)
    try socket.set(ZMQOption.routerMandatory, 1)
    try socket.set(ZMQOption.sendHighWater, Int32(Limits.gatewayFramesQueuedMax))
    try socket.set(ZMQOption.receiveHighWater, Int32(Limits.gatewayFramesUnreadMax))
    endpoint = try context.bind(socket, bind, as: .gateway, curve: curve, logger: logger)
    self.start = start
    self.site = site
    unread = SendBufferLimit(unreadBytesMax, at: socket, .gateway, logger: logger)
    admission = GatewayAdmission(generation: start.generation)
    self.commands = commands
    self.logger = logger
    self.onRequest = onRequest
  }

  package func receive(_ frames: [[UInt8]], nowMs: Int64) {
    let peer = frames.first ?? []
    if frames.count == 2, let (id, connection, posts) = GatewayCodec.batch(frames[1]) {
      return accept(posts, Ticket(peer: peer, request: id), connection)
    }
    guard let frame = GatewayFrame(frames.dropFirst()) else {
      return refuse(peer, id: 0, .malformed, "not a GatewayFrame of this protocol", nowMs: nowMs)
    }
    let ticket = Ticket(peer: peer, request: frame.requestID)
    // Check the version before the body: another version may have bodies that are unknown here.
    guard frame.major == Protocol.major, frame.body != nil || frame.minor <= Protocol.minor else {
      let detail = "this ingest supports version \(Protocol.major).\(Protocol.minor)"
      return refuse(peer, id: frame.requestID, .unsupportedVersion, detail, nowMs: nowMs)
    }
    switch frame.body {
    case .hello(let hello):
      hashes.announce(Int(hello.passwordHashes), by: peer, nowMs: nowMs)
      welcome(peer)
    case .posts(let batch): accept(batch.posts.map(\.post), ticket, Array(frame.connection))
    case .request(let request): accept(request.request, ticket, Array(frame.connection), nowMs: nowMs)
    case .cancel: if admission.isOpen(ticket) { onRequest(.cancel(ticket)) }
    case .endWait: if admission.isOpen(ticket) { onRequest(.endWait(ticket)) }
    case .passwordHash(let hash): receive(hash, from: peer, Array(frame.connection), nowMs: nowMs)
    case nil: refuse(peer, id: frame.requestID, .malformed, "a GatewayFrame without a body", nowMs: nowMs)
    }
  }

  private func welcome(_ peer: [UInt8]) {
    let ticket = Ticket(peer: peer, request: 0)
    guard let connection = admission.connection(of: peer) else {
      // Without a reply, the gateway would take a long shutdown for a loss, and give up its open requests.
      return send(ticket, .notExecuted(.with { $0.reason = .init(.shutdown) }))
    }
    send(
      ticket,
      .welcome(
        .with {
          $0.connection = Data(connection)
          $0.epoch = Data(start.epoch.bytes)
          $0.generation = start.generation
          $0.heartbeatMs = UInt32(Limits.gatewayHelloMs)
          $0.site = .init(site)
        }))
  }

  private func accept(_ posts: [SessionPost], _ ticket: Ticket, _ connection: [UInt8]) {
    guard (1...Limits.gatewayPostsMax).contains(posts.count) else {
      return fail(ticket, .outOfRange, "a batch of \(posts.count) posts; send 1 to \(Limits.gatewayPostsMax)")
    }
    guard admit(ticket, connection, bytes: nil) else { return }
    onRequest(.posts(ticket, posts))
  }

  private func accept(_ request: ForwardedRequest, _ ticket: Ticket, _ connection: [UInt8], nowMs: Int64) {
    guard admit(ticket, connection, bytes: request.body.count) else { return }
    onRequest(.http(ticket, request, hashesMax: hashes.parallelMax(of: ticket.peer, nowMs: nowMs)))
  }

  /// Passes on a password hash. Ignores one that came too late. One that ingest did not request is malformed.
  private func receive(
    _ hash: Onthemap_Gateway_V1_PasswordHash, from peer: [UInt8], _ connection: [UInt8], nowMs: Int64
  ) {
    guard admission.isName(connection, of: peer), let result = hash.result, hashes.hasBegun(hash.number) else {
      // With the number of its request, the error would end that request.
      return refuse(peer, id: 0, .malformed, "a password hash that is invalid or not requested", nowMs: nowMs)
    }
    guard hashes.end(hash.number, from: peer) else { return }
    hashCallbacks.removeValue(forKey: hash.number)?(result)
  }

  /// Sends a password hash to the gateway that has its request.
  private func request(_ work: PasswordHashWork, _ ticket: Ticket, _ callback: @escaping HashCallback, nowMs: Int64) {
    switch hashes.begin(at: ticket.peer, nowMs: nowMs) {
    case .failure(let failure): callback(.failure(failure))
    case .success(let number):
      let body = GatewayReply.OneOf_Body.hashPassword(.init(work, number: number))
      let status = socket.send(ticket.peer, GatewayReply(id: ticket.request, body).bytes)
      guard status != .accepted else {
        hashCallbacks[number] = callback
        return
      }
      _ = hashes.end(number, from: ticket.peer)
      callback(.failure(status == .unroutable ? .gone : .notComputed))
    }
  }

  /// Admits a request, or replies that ingest does not execute it.
  private func admit(_ ticket: Ticket, _ connection: [UInt8], bytes: Int?) -> Bool {
    switch admission.begin(ticket, on: connection, bytes: bytes) {
    case .admit: return true
    case .refuse(let refusal):
      send(ticket, .notExecuted(.with { ($0.reason, $0.connection) = (.init(refusal), Data(connection)) }))
    case .open:
      fail(ticket, .outOfRange, "request_id \(ticket.request) is open already; give each request its own number")
    }
    return false
  }

  package func tick(nowMs: Int64) -> Int64 {
    for command in commands.drain() {
      switch command {
      case .results(let ticket, let results):
        if admission.end(ticket) { socket.send(ticket.peer, GatewayCodec.results(results, id: ticket.request)) }
      case .response(let ticket, let response):
        guard admission.end(ticket) else { continue }
        let frame = GatewayReply(id: ticket.request, .response(.init(response))).bytes
        socket.send([ticket.peer], SharedFrame(frame, in: unread.memory))
      case .hash(let ticket, let work, let callback): request(work, ticket, callback, nowMs: nowMs)
      case .shutDown(let callback):
        admission.shutDown()
        isShutDownCallback = callback
      }
    }
    for (number, failure) in hashes.expire(nowMs: nowMs) {
      hashCallbacks.removeValue(forKey: number)?(.failure(failure))
    }
    if let isShutDownCallback, admission.isIdle { isShutDownCallback() }
    return min(unread.tick(nowMs: nowMs), hashes.dueMs)
  }

  /// Ends the open password hashes. A gateway without a reply repeats its request at the next run of ingest.
  package func shutDown() {
    for callback in hashCallbacks.values { callback(.failure(.gone)) }
    hashCallbacks = [:]
    for case .hash(_, _, let callback) in commands.drain() { callback(.failure(.gone)) }
  }

  /// Counts a malformed frame. Logs it and replies at most once a second.
  private func refuse(
    _ peer: [UInt8], id: UInt64, _ code: Onthemap_Gateway_V1_ErrorCode, _ detail: String, nowMs: Int64
  ) {
    guard malformed.add(nowMs: nowMs) else { return }
    malformed.log(detail, to: logger)
    fail(Ticket(peer: peer, request: id), code, detail)
  }

  private func fail(_ ticket: Ticket, _ code: Onthemap_Gateway_V1_ErrorCode, _ detail: String) {
    send(
      ticket,
      .error(
        .with {
          $0.code = code
          $0.detail = detail
        }))
  }

  private func send(_ ticket: Ticket, _ body: GatewayReply.OneOf_Body) {
    socket.send(ticket.peer, GatewayReply(id: ticket.request, body).bytes)
  }
}
