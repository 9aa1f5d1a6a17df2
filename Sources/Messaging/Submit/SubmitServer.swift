package import Domain
package import Logging
import Metrics
import SwiftProtobuf
import Telemetry

/// Ingest's end of the submission link: a ROUTER that receives batches of posts from producers. It replies to a batch
/// when the accepted posts are durable.
///
/// Requests leave through `onRequests`, and their replies return as `Command`. The server itself uses no disk. If a
/// reply cannot be sent, the producer has disconnected or is not reading. It will resend its batch.
package final class SubmitServer: ReactorSocket {
  /// The destination of a reply.
  package struct Ticket: Sendable, Hashable {
    /// The routing id of the connection.
    let peer: [UInt8]
    /// The producer's own request id.
    let request: UInt64
  }

  /// A request to ingest.
  package enum Request: Sendable {
    /// Asks for the account of a session token. The reply is `Command.identified`.
    case identify(peer: [UInt8], token: String)
    /// Submits 1 to `Limits.submitPostsMax` posts. The reply has one receipt for each post.
    case batch(Ticket, AccountID, [SubmittedPost])
    /// Asks for the states of 1 to `Limits.submitPostsMax` posts. The reply has one status for each post.
    case query(Ticket, AccountID, [PostID])
  }

  /// The reply to a request.
  package enum Reply: Sendable {
    /// Receipts in the batch's order. Accepted posts are durable.
    case receipts([SubmitReceipt])
    /// Statuses in the query's order. The post is nil if there is none that the account may see.
    case statuses([(id: PostID, post: Post?)])
    /// A temporary failure.
    case busy(detail: String, retryAfterMs: Int64)
  }

  /// A command from ingest. Any thread may enqueue it.
  package enum Command: Sendable {
    /// The owner of a token. Nil if ingest could not look up the token.
    case identified(peer: [UInt8], token: String, SubmitAdmission.Identity?)
    case replied(Ticket, Reply)
  }

  package let socket: Socket
  /// Address with the actual port.
  package let endpoint: Endpoint
  private let commands: CommandQueue<Command>
  private let logger: Logger
  private let start: IngestStart
  private let onRequests: @Sendable ([Request]) -> Void
  private var admission = SubmitAdmission()
  /// Requests whose token is being looked up, by connection.
  private var held: [[UInt8]: [ProducerMessage]] = [:]
  private var pendingRequests: [Request] = []
  private var malformed = MalformedFrames("submit")
  private let errors = SubmitErrorMeters()

  /// Creates the server. Reactor's thread only, like every method here.
  ///
  /// - Parameters:
  ///   - start: The start of ingest.
  ///   - curve: Keys of the link. Nil disables encryption.
  ///   - onRequests: Handler of requests. It runs on the reactor's thread and must not block.
  package init(
    _ context: Reactor.Context, bind: Endpoint, start: IngestStart, curve: CurveServer? = nil,
    commands: CommandQueue<Command>, logger: Logger, onRequests: @escaping @Sendable ([Request]) -> Void
  ) throws(LinkError) {
    socket = try context.socket(.router, frameBytesMax: Limits.submitFrameBytesMax)
    try socket.set(ZMQOption.routerMandatory, 1)
    // Frames are long here. A producer that sends faster than ingest replies, or that does not read, must wait at its
    // own end.
    try socket.set(ZMQOption.sendHighWater, Int32(Limits.submitFramesQueuedMax))
    try socket.set(ZMQOption.receiveHighWater, Int32(Limits.submitFramesUnreadMax))
    endpoint = try context.bind(socket, bind, as: .submit, curve: curve, logger: logger)
    self.start = start
    self.commands = commands
    self.logger = logger
    self.onRequests = onRequests
  }

  package func receive(_ frames: [[UInt8]], nowMs: Int64) {
    let peer = frames.first ?? []
    guard let message = ProducerMessage(frames.dropFirst()) else {
      return refuse(peer, id: 0, .malformed, "not a SubmitRequest of this protocol", nowMs: nowMs)
    }
    let ticket = Ticket(peer: peer, request: message.id)
    // Check the version before the body: another version may have bodies that are unknown here.
    guard message.major == Protocol.major, message.body != nil || message.minor <= Protocol.minor else {
      let detail = "this ingest supports version \(Protocol.major).\(Protocol.minor)"
      return refuse(peer, id: message.id, .unsupportedVersion, detail, nowMs: nowMs)
    }
    let count: Int
    switch message.body {
    case .batch(let posts): count = posts.count
    case .query(let ids): count = ids.count
    case nil: return refuse(peer, id: message.id, .malformed, "a SubmitRequest without a body", nowMs: nowMs)
    }
    guard (1...Limits.submitPostsMax).contains(count) else {
      return fail(ticket, .outOfRange, "a request of \(count) posts; send 1 to \(Limits.submitPostsMax)")
    }
    guard message.token.utf8.count == Limits.sessionTokenBytes else { return refuseUnauthorized(ticket) }
    switch admission.begin(peer, token: message.token, nowMs: nowMs) {
    case .admit(let account): dispatch(message, ticket, account)
    case .authenticate:
      pendingRequests.append(.identify(peer: peer, token: message.token))
      held[peer, default: []].append(message)
    case .wait: held[peer, default: []].append(message)
    case .unauthorized: refuseUnauthorized(ticket)
    case .busy:
      fail(
        ticket, .busy,
        "too many open requests (at most \(Limits.submitRequestsOfConnectionMax) per connection and "
          + "\(Limits.submitRequestsMax) in all); resend the request later", retryAfterMs: Limits.submitRetryMs)
    }
  }

  package func tick(nowMs: Int64) -> Int64 {
    for command in commands.drain() {
      switch command {
      case .identified(let peer, let token, let identity): identify(peer, token, identity, nowMs: nowMs)
      case .replied(let ticket, let reply): finish(ticket, reply)
      }
    }
    if !pendingRequests.isEmpty {
      onRequests(pendingRequests)
      pendingRequests = []
    }
    return .max
  }

  /// Does nothing. A producer without a reply resends its request to the next ingest.
  package func shutDown() {}

  private func identify(_ peer: [UInt8], _ token: String, _ identity: SubmitAdmission.Identity?, nowMs: Int64) {
    admission.recordIdentity(peer, token: token, identity: identity, nowMs: nowMs)
    let messages = held.removeValue(forKey: peer) ?? []
    let others = messages.filter { $0.token != token }
    if !others.isEmpty { held[peer] = others }
    for message in messages where message.token == token {
      let ticket = Ticket(peer: peer, request: message.id)
      switch identity {
      case .account(let account)?: dispatch(message, ticket, account)
      case .unauthenticated?:
        admission.end(peer)
        refuseUnauthorized(ticket)
      case nil:
        admission.end(peer)
        fail(
          ticket, .busy, "cannot look up the session at the moment; try again later",
          retryAfterMs: Limits.submitRetryMs)
      }
    }
  }

  /// Passes an admitted request to ingest, or refuses it if a post id is invalid.
  private func dispatch(_ message: ProducerMessage, _ ticket: Ticket, _ account: AccountID) {
    switch message.body {
    case .batch(let posts): pendingRequests.append(.batch(ticket, account, posts))
    case .query(let texts):
      let ids = texts.compactMap { PostID($0) }
      guard ids.count == texts.count else {
        admission.end(ticket.peer)
        return fail(ticket, .outOfRange, "a post id is invalid; a post id has 10 characters of 0-9, A-Z, a-z")
      }
      pendingRequests.append(.query(ticket, account, ids))
    case nil: admission.end(ticket.peer)
    }
  }

  private func finish(_ ticket: Ticket, _ reply: Reply) {
    admission.end(ticket.peer)
    switch reply {
    case .receipts(let receipts):
      socket.send(ticket.peer, SubmitCodec.receipts(receipts, id: ticket.request, start: start))
    case .statuses(let statuses):
      send(ticket, .statuses(.with { $0.statuses = statuses.map { .init($0.id, $0.post) } }))
    case .busy(let detail, let retryAfterMs): fail(ticket, .busy, detail, retryAfterMs: retryAfterMs)
    }
  }

  private func refuseUnauthorized(_ ticket: Ticket) {
    let detail = "log in first, and send the token of an open session"
    fail(ticket, .unauthorized, detail, retryAfterMs: Limits.submitTokenMs)
  }

  /// Counts a malformed frame. Logs it and replies at most once a second.
  private func refuse(
    _ peer: [UInt8], id: UInt64, _ code: Onthemap_Submit_V1_ErrorCode, _ detail: String, nowMs: Int64
  ) {
    guard malformed.add(nowMs: nowMs) else { return errors.count(code) }
    malformed.log(detail, to: logger)
    fail(Ticket(peer: peer, request: id), code, detail)
  }

  private func fail(
    _ ticket: Ticket, _ code: Onthemap_Submit_V1_ErrorCode, _ detail: String, retryAfterMs: Int64 = 0
  ) {
    errors.count(code)
    let error = Onthemap_Submit_V1_Error.with {
      $0.code = code
      $0.detail = detail
      $0.retryAfterMs = UInt32(clamping: retryAfterMs)
    }
    send(ticket, .error(error))
  }

  private func send(_ ticket: Ticket, _ body: SubmitReply.OneOf_Body) {
    socket.send(ticket.peer, SubmitReply(id: ticket.request, start: start, body).bytes)
  }
}
