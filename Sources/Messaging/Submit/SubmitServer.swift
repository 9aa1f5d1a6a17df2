package import Domain
package import Logging
import Metrics
import SwiftProtobuf
import Telemetry

/// Ingest's end of submission: a ROUTER that takes batches of posts from producers, and answers each request when what
/// it stores is on disk.
///
/// Requests go out through `taken`, and their answers come back as `Command`; nothing here touches a disk. What an
/// answer cannot be sent to has gone, or does not read: it sends its batch again.
package final class SubmitServer: ReactorSocket {
  /// Where an answer goes.
  package struct Ticket: Sendable, Hashable {
    /// The connection.
    let peer: [UInt8]
    /// The producer's own number.
    let request: UInt64
  }

  /// What is asked of ingest.
  package enum Request: Sendable {
    /// Whose session is this? To be answered with `Command.identified`.
    case identify(peer: [UInt8], token: String)
    /// Posts, 1 to `Limits.submitPostsMax`; to be answered with as many receipts.
    case batch(Ticket, AccountID, [SubmittedPost])
    /// What has become of posts, 1 to `Limits.submitPostsMax`; to be answered with as many statuses.
    case query(Ticket, AccountID, [PostID])
  }

  /// The answer to a request.
  package enum Reply: Sendable {
    /// In the batch's order. What is accepted in it is on disk.
    case receipts([SubmitReceipt])
    /// In the query's order; nil where there is nothing that the account may see.
    case statuses([(id: PostID, post: Post?)])
    /// Nothing can be said now.
    case busy(detail: String, retryAfterMs: Int64)
  }

  /// What ingest tells it; any thread, through the inbox.
  package enum Command: Sendable {
    /// Nil when it could not be found out.
    case identified(peer: [UInt8], token: String, SubmitAdmission.Identity?)
    case answered(Ticket, Reply)
  }

  package let socket: Socket
  /// With the port that was taken.
  package let endpoint: Endpoint
  private let inbox: CommandQueue<Command>
  private let logger: Logger
  private let onRequests: @Sendable ([Request]) -> Void
  private var admission = SubmitAdmission()
  /// Requests whose token is being looked up, by connection.
  private var held: [[UInt8]: [ProducerMessage]] = [:]
  private var pendingRequests: [Request] = []
  private var malformed = MalformedFrames("submit")
  private let errors = SubmitErrorMeters()

  /// On the reactor's thread, as all of it.
  ///
  /// - Parameters:
  ///   - curve: the link's keys; nil for plain text.
  ///   - taken: called on the reactor's thread with requests; must not wait.
  package init(
    _ context: Reactor.Context, bind: Endpoint, curve: CurveServer? = nil, inbox: CommandQueue<Command>, logger: Logger,
    onRequests: @escaping @Sendable ([Request]) -> Void
  ) throws(LinkError) {
    socket = try context.socket(.router, frameBytesMax: Limits.submitFrameBytesMax)
    try socket.set(ZMQOption.routerMandatory, 1)
    // Frames are long here, and whoever sends more than is answered, or does not read, is to wait outside.
    try socket.set(ZMQOption.sendHighWater, Int32(Limits.submitFramesQueuedMax))
    try socket.set(ZMQOption.receiveHighWater, Int32(Limits.submitFramesUnreadMax))
    endpoint = try context.bind(socket, bind, as: .submit, curve: curve, logger: logger)
    self.inbox = inbox
    self.logger = logger
    self.onRequests = onRequests
  }

  package func receive(_ frames: [[UInt8]], nowMs: Int64) {
    let peer = frames.first ?? []
    guard let question = ProducerMessage(frames.dropFirst()) else {
      return reject(peer, id: 0, .malformed, "not a SubmitRequest of this protocol", nowMs: nowMs)
    }
    let ticket = Ticket(peer: peer, request: question.id)
    // Before its body: another version may have bodies that are unknown here.
    guard question.major == Protocol.major, question.body != nil || question.minor <= Protocol.minor else {
      let detail = "this ingest speaks version \(Protocol.major).\(Protocol.minor)"
      return reject(peer, id: question.id, .unsupportedVersion, detail, nowMs: nowMs)
    }
    let count: Int
    switch question.body {
    case .batch(let posts): count = posts.count
    case .query(let ids): count = ids.count
    case nil: return reject(peer, id: question.id, .malformed, "a SubmitRequest without a body", nowMs: nowMs)
    }
    guard (1...Limits.submitPostsMax).contains(count) else {
      return fail(ticket, .outOfRange, "1 to \(Limits.submitPostsMax) posts at once, not \(count)")
    }
    guard question.token.utf8.count == Limits.sessionTokenBytes else { return refuseStranger(ticket) }
    switch admission.begin(peer, token: question.token, nowMs: nowMs) {
    case .admit(let account): dispatch(question, ticket, account)
    case .authenticate:
      pendingRequests.append(.identify(peer: peer, token: question.token))
      held[peer, default: []].append(question)
    case .wait: held[peer, default: []].append(question)
    case .unauthorized: refuseStranger(ticket)
    case .busy:
      fail(
        ticket, .busy,
        "\(Limits.submitUnansweredMax) requests of one connection, \(Limits.submitRequestsMax) of all, "
          + "wait for their answer; send it again later", retryAfterMs: Limits.submitRetryMs)
    }
  }

  package func tick(nowMs: Int64) -> Int64 {
    for command in inbox.drain() {
      switch command {
      case .identified(let peer, let token, let identity): identify(peer, token, identity, nowMs: nowMs)
      case .answered(let ticket, let answer): finish(ticket, answer)
      }
    }
    if !pendingRequests.isEmpty {
      onRequests(pendingRequests)
      pendingRequests = []
    }
    return .max
  }

  /// Who has no answer yet sends its request again, to the next ingest.
  package func shutDown() {}

  private func identify(_ peer: [UInt8], _ token: String, _ identity: SubmitAdmission.Identity?, nowMs: Int64) {
    admission.learn(peer, token: token, identity: identity, nowMs: nowMs)
    let questions = held.removeValue(forKey: peer) ?? []
    let others = questions.filter { $0.token != token }
    if !others.isEmpty { held[peer] = others }
    for question in questions where question.token == token {
      let ticket = Ticket(peer: peer, request: question.id)
      switch identity {
      case .account(let account)?: dispatch(question, ticket, account)
      case .unauthenticated?:
        admission.end(peer)
        refuseStranger(ticket)
      case nil:
        admission.end(peer)
        fail(ticket, .busy, "the session cannot be looked up at the moment", retryAfterMs: Limits.submitRetryMs)
      }
    }
  }

  /// Hands on what was admitted, or ends it.
  private func dispatch(_ question: ProducerMessage, _ ticket: Ticket, _ account: AccountID) {
    switch question.body {
    case .batch(let posts): pendingRequests.append(.batch(ticket, account, posts))
    case .query(let names):
      let ids = names.compactMap { PostID($0) }
      guard ids.count == names.count else {
        admission.end(ticket.peer)
        return fail(ticket, .outOfRange, "the id of a post has 10 characters of 0-9, A-Z, a-z")
      }
      pendingRequests.append(.query(ticket, account, ids))
    case nil: admission.end(ticket.peer)
    }
  }

  private func finish(_ ticket: Ticket, _ answer: Reply) {
    admission.end(ticket.peer)
    switch answer {
    case .receipts(let receipts): socket.send(ticket.peer, SubmitCodec.receipts(receipts, id: ticket.request))
    case .statuses(let statuses):
      reply(ticket, .statuses(.with { $0.statuses = statuses.map { .init($0.id, $0.post) } }))
    case .busy(let detail, let retryAfterMs): fail(ticket, .busy, detail, retryAfterMs: retryAfterMs)
    }
  }

  private func refuseStranger(_ ticket: Ticket) {
    let detail = "log in first: send the token of a session that is not over"
    fail(ticket, .unauthorized, detail, retryAfterMs: Limits.submitTokenMs)
  }

  /// Counts what cannot be taken; logs and answers it once a second.
  private func reject(
    _ peer: [UInt8], id: UInt64, _ code: Onthemap_Submit_V1_ErrorCode, _ detail: String, nowMs: Int64
  ) {
    guard malformed.add(nowMs: nowMs) else { return errors.count(code) }
    logger.warning(
      "malformed frame at submission", metadata: ["reason": "\(detail)", "total": "\(malformed.count)"])
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
    reply(ticket, .error(error))
  }

  private func reply(_ ticket: Ticket, _ body: SubmitReply.OneOf_Body) {
    socket.send(ticket.peer, SubmitReply(id: ticket.request, body).bytes)
  }
}
