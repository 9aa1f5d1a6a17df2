package import Domain
import Glibc
package import Logging
import SwiftProtobuf

/// Ingest's end of the admin socket: a ROUTER that takes an operator's questions. What the reactor's own stations know
/// is added to them here, on their thread; what is on disk is answered by whoever gets the question. For questions that
/// come another way it tells what the stations know.
///
/// An ipc socket is made for its owner only (0600): whoever reaches it may steer the queue.
package final class AdminServer: ReactorSocket {
  /// What the reactor knows about a question.
  package enum LiveState: Sendable {
    case nothing
    case status(QueueSnapshot, QueueRates.Readings, [QueueStatus.Feed])
    /// Of the posts asked for that are in the queue.
    case placements([QueuePlacement])
  }

  /// A question, and to whom the answer goes.
  package struct Request: Sendable {
    package let request: AdminRequest
    package let known: LiveState
    /// The sender, as in `Socket.sender`.
    package let sender: String
    fileprivate let peer: [UInt8]
    fileprivate let id: UInt64
  }

  /// What ingest tells it; any thread, through the inbox.
  package enum Command: Sendable {
    /// On its way back; each question of the socket gets one.
    case answer(Request, AdminReply)
    /// Calls back on the reactor's thread with what the stations know about a request; the callee must not wait.
    case inspect(AdminRequest, @Sendable (LiveState) -> Void)
  }

  package let socket: Socket
  /// With the port that was taken; nil where nobody asks over the socket.
  package let endpoint: Endpoint?
  private let jobs: JobServer
  private let changes: ChangeServer
  private let inbox: CommandQueue<Command>
  private let logger: Logger
  private let onRequest: @Sendable (Request) -> Void
  private var open = 0
  private var malformed = MalformedFrames("admin")

  /// - Parameters:
  ///   - bind: nil for no socket that anybody reaches.
  ///   - jobs, changes: stations of the same reactor, to be looked at.
  ///   - asked: called on the reactor's thread with each question, `Limits.adminRequestsMax` at most without an answer;
  ///     must not wait.
  package init(
    _ context: Reactor.Context, bind: Endpoint?, jobs: JobServer, changes: ChangeServer, inbox: CommandQueue<Command>,
    logger: Logger, onRequest: @escaping @Sendable (Request) -> Void
  ) throws(LinkError) {
    socket = try context.socket(.router, frameBytesMax: Limits.adminRequestBytesMax)
    try socket.set(ZMQOption.routerMandatory, 1)
    socket.keepsSender = true
    // From its first moment on: what is bound for all, and closed afterwards, may have been opened in between.
    let mask = umask(0o177)
    defer { umask(mask) }
    endpoint = if let bind { try socket.bind(bind) } else { nil }
    self.jobs = jobs
    self.changes = changes
    self.inbox = inbox
    self.logger = logger
    self.onRequest = onRequest
  }

  package func receive(_ frames: [[UInt8]], nowMs: Int64) {
    let peer = frames.first ?? []
    guard frames.count == 2, let frame = try? AdminRequestFrame(serializedBytes: frames[1]),
      frame.magic == Protocol.magic
    else {
      return reject(peer, id: 0, AdminRefusal(.malformed, "not an AdminRequest of this protocol"), nowMs: nowMs)
    }
    // Before its body: another major may have bodies that are unknown here.
    guard frame.major == Protocol.major else {
      let refusal = AdminRefusal(.unsupportedVersion, "this ingest speaks version \(Protocol.major) only")
      return reject(peer, id: frame.requestID, refusal, nowMs: nowMs)
    }
    do throws(AdminRefusal) {
      let request = try frame.request()
      guard open < Limits.adminRequestsMax else { throw AdminRefusal(.busy, "too many ask at once; ask again later") }
      open += 1
      onRequest(
        Request(
          request: request, known: liveState(about: request, nowMs: nowMs), sender: socket.sender, peer: peer,
          id: frame.requestID))
    } catch {
      guard error.code == .malformed else { return send(.refused(error), to: peer, id: frame.requestID) }
      reject(peer, id: frame.requestID, error, nowMs: nowMs)
    }
  }

  package func tick(nowMs: Int64) -> Int64 {
    for command in inbox.drain() {
      switch command {
      case .answer(let question, let answer):
        open -= 1
        send(answer, to: question.peer, id: question.id)
      case .inspect(let request, let tell): tell(liveState(about: request, nowMs: nowMs))
      }
    }
    return .max
  }

  package func shutDown() {}

  private func liveState(about request: AdminRequest, nowMs: Int64) -> LiveState {
    switch request {
    case .status: .status(jobs.snapshot(nowMs: nowMs), jobs.rates(nowMs: nowMs), changes.feeds(nowMs: nowMs))
    case .list(.dead, _, _, _): .nothing
    case .list(let state, _, let after, let limit):
      .placements(jobs.placements(in: state, after: after, limit: limit, nowMs: nowMs))
    case .show(let id): .placements(jobs.placement(of: id, nowMs: nowMs).map { [$0] } ?? [])
    case .retry, .drop, .pause, .resume, .users, .addUser, .setUser: .nothing
    }
  }

  /// Counts what cannot be taken, and logs it once a second. Each is answered: only the operator's own tools get here.
  private func reject(_ peer: [UInt8], id: UInt64, _ refusal: AdminRefusal, nowMs: Int64) {
    if malformed.add(nowMs: nowMs) {
      logger.warning(
        "malformed frame on the admin socket",
        metadata: ["reason": "\(refusal.detail)", "total": "\(malformed.count)"])
    }
    send(.refused(refusal), to: peer, id: id)
  }

  private func send(_ answer: AdminReply, to peer: [UInt8], id: UInt64) {
    socket.send(peer, AdminReplyFrame(id: id, answer).bytes)
  }
}
