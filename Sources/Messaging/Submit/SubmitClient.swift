package import Domain
package import Logging
import SwiftProtobuf

/// A producer's end of the submission link: a DEALER that sends batches of posts. It resends each batch, with the same
/// idempotency keys, until ingest replies.
package final class SubmitClient: ReactorSocket {
  /// The producer's next step.
  package enum Next: Sendable {
    /// A batch of 1 to `Limits.submitPostsMax` posts, under a number that is used once.
    case batch(UInt64, [SubmittedPost])
    /// No batch before a time, in milliseconds of `Reactor.nowMs`.
    case pause(untilMs: Int64)
    /// No further batch.
    case over
  }

  /// A change of a batch's state.
  package enum Event: Sendable {
    /// The receipts of a batch, one for each post, in the batch's order. A BUSY post may go into a later batch.
    case receipts(UInt64, [SubmitReceipt])
    /// The client resends the batch, now or later. The reason is for people.
    case repeated(UInt64, reason: String)
    /// Ingest refused the whole batch. Do not retry it.
    case refused(UInt64, SubmitRefusal)
  }

  private struct Pending {
    let posts: [SubmittedPost]
    /// Time of the first send.
    let sinceMs: Int64
    /// Time of the next send.
    var dueMs: Int64
    /// True after a BUSY reply. No other reply to the batch is then in transit.
    var isBusy = false
  }

  package let socket: Socket
  private let connection: ClientConnection
  private let token: String
  private let logger: Logger
  private let next: (Int64) -> Next
  private let event: (Event) -> Void
  private var pending: [UInt64: Pending] = [:]
  private var lastReceivedMs: Int64
  /// The refusal of the token, because it has no session. After this refusal the client sends no batch.
  private var terminalRefusal: SubmitRefusal?
  private var malformed = MalformedFrames("submit")

  /// Creates the client. Reactor's thread only, like every method here.
  ///
  /// - Parameters:
  ///   - endpoints: At least one address of ingest, in the order in which to try them.
  ///   - curve: Keys of the producer and of the link, the same for all addresses. Nil disables encryption.
  ///   - token: The session token.
  ///   - next: Source of batches, called with the time whenever a slot is free. It runs on the reactor's thread and
  ///     must not block.
  ///   - event: Handler of each event. It runs on the reactor's thread and must not block.
  package init(
    _ context: Reactor.Context, connect endpoints: [Endpoint], curve: CurveClient? = nil, token: String, logger: Logger,
    next: @escaping (Int64) -> Next, event: @escaping (Event) -> Void
  ) throws(LinkError) {
    socket = try context.socket(.dealer, frameBytesMax: Limits.submitFrameBytesMax)
    try socket.set(ZMQOption.immediate, 1)
    connection = try ClientConnection(
      context, socket, connect: endpoints, as: .submit, curve: curve, logsConnections: false, logger: logger)
    self.token = token
    self.logger = logger
    self.next = next
    self.event = event
    lastReceivedMs = Reactor.nowMs
  }

  package func receive(_ frames: [[UInt8]], nowMs: Int64) {
    lastReceivedMs = nowMs
    if frames.count == 1, let (id, start, receipts) = SubmitCodec.receipts(frames[0]) {
      guard admits(start, nowMs: nowMs) else { return }
      return handle(receipts, of: id, nowMs: nowMs)
    }
    guard let reply = SubmitReply(frames) else { return logOnce("not a SubmitReply of this protocol", nowMs: nowMs) }
    guard admits(reply.start, nowMs: nowMs) else { return }
    if case .error(let error)? = reply.body, error.code == .notLeading {
      return leave(reply.requestID, retryAfterMs: Int64(error.retryAfterMs), nowMs: nowMs)
    }
    connection.answered()
    // The second reply to a batch that was sent twice, or a reply to no batch.
    guard var batch = pending[reply.requestID] else {
      if case .error(let error)? = reply.body { logOnce(error.detail, nowMs: nowMs) }
      return
    }
    switch reply.body {
    case .receipts(let receipts):
      handle(receipts.receipts.compactMap(\.receipt), of: reply.requestID, nowMs: nowMs)
    case .error(let error) where error.code == .unauthorized:
      terminalRefusal = SubmitRefusal(code: error.code.name, detail: error.detail)
      refuseAll()
    case .error(let error) where error.code == .busy:
      (batch.dueMs, batch.isBusy) = (nowMs + max(1, Int64(error.retryAfterMs)), true)
      pending[reply.requestID] = batch
      event(.repeated(reply.requestID, reason: "busy"))
    case .error(let error):
      pending[reply.requestID] = nil
      event(.refused(reply.requestID, SubmitRefusal(code: error.code.name, detail: error.detail)))
    case .statuses, nil: logOnce("a reply to another request", nowMs: nowMs)
    }
  }

  /// Returns false for a reply of an earlier start of ingest than a known one. Its receipts do not count, and the batch
  /// goes to another address.
  private func admits(_ start: IngestStart?, nowMs: Int64) -> Bool {
    if connection.admits(start) { return true }
    handle(connection.leave(.lowerGeneration, retryAfterMs: Limits.livenessMs, nowMs: nowMs), nowMs: nowMs)
    return false
  }

  /// Leaves an ingest that does not lead. Without another address, its batch is due again after the pause.
  private func leave(_ id: UInt64, retryAfterMs: Int64, nowMs: Int64) {
    let pauseMs = max(Limits.submitUnsentMs, retryAfterMs)
    pending[id]?.dueMs = nowMs + pauseMs
    if pending[id] != nil { event(.repeated(id, reason: "not_leading")) }
    handle(connection.leave(.notLeading, retryAfterMs: pauseMs, nowMs: nowMs), nowMs: nowMs)
  }

  /// After a change of the address, all batches are due at the new one: replies in transit were lost.
  private func handle(_ change: ClientConnection.Change?, nowMs: Int64) {
    guard change == .connected else { return }
    lastReceivedMs = nowMs
    for id in pending.keys {
      pending[id]?.dueMs = nowMs
      pending[id]?.isBusy = false
    }
  }

  /// Refuses every open batch, because the token has no session.
  private func refuseAll() {
    guard let terminalRefusal else { return }
    for id in pending.keys { event(.refused(id, terminalRefusal)) }
    pending = [:]
  }

  private func handle(_ receipts: [SubmitReceipt], of id: UInt64, nowMs: Int64) {
    // A second reply to a batch that was sent twice is ignored.
    guard let batch = pending[id] else { return }
    guard receipts.count == batch.posts.count else { return logOnce("a wrong number of receipts", nowMs: nowMs) }
    pending[id] = nil
    connection.answered()
    event(.receipts(id, receipts))
  }

  package func tick(nowMs: Int64) -> Int64 {
    handle(connection.tick(nowMs: nowMs), nowMs: nowMs)
    guard !connection.isPaused else { return connection.nextMs }
    var nextMs = connection.nextMs
    // A connection that stays silent while batches are open may be dead.
    let oldestMs = pending.values.lazy.map(\.sinceMs).min() ?? nowMs
    if nowMs - max(lastReceivedMs, oldestMs) > Limits.livenessMs {
      lastReceivedMs = nowMs
      if connection.reconnect(nowMs: nowMs) != nil { return connection.nextMs }
      // Replies in transit were lost with the old connection.
      for (id, batch) in pending where !batch.isBusy { pending[id]?.dueMs = nowMs }
    }
    for (id, batch) in pending {
      if batch.dueMs <= nowMs {
        if send(id, batch.posts, nowMs: nowMs) { event(.repeated(id, reason: "no reply")) }
      }
      nextMs = min(nextMs, pending[id]?.dueMs ?? .max)
    }
    while pending.count < Limits.submitRequestsOfConnectionMax {
      switch next(nowMs) {
      case .batch(let id, _) where terminalRefusal != nil:
        if let terminalRefusal { event(.refused(id, terminalRefusal)) }
      case .batch(let id, let posts):
        send(id, posts, nowMs: nowMs)
        nextMs = min(nextMs, pending[id]?.dueMs ?? .max)
      case .pause(let untilMs): return min(nextMs, max(untilMs, nowMs + 1))
      case .over: return nextMs
      }
    }
    return nextMs
  }

  package func shutDown() {}

  /// Sends a batch. Returns false if there is no connection, or if the connection is full. The batch is then due again
  /// after `Limits.submitUnsentMs`.
  @discardableResult
  private func send(_ id: UInt64, _ posts: [SubmittedPost], nowMs: Int64) -> Bool {
    let isSent = connection.send(SubmitCodec.batch(posts, id: id, token: token), nowMs: nowMs)
    let sinceMs = pending[id]?.sinceMs ?? nowMs
    let pauseMs = isSent ? Limits.submitReplyTimeoutMs : Limits.submitUnsentMs
    pending[id] = Pending(posts: posts, sinceMs: sinceMs, dueMs: nowMs + pauseMs)
    return isSent
  }

  private func logOnce(_ reason: String, nowMs: Int64) {
    guard malformed.add(nowMs: nowMs) else { return }
    malformed.log(reason, to: logger)
  }
}

extension Onthemap_Submit_V1_ErrorCode {
  /// The error code for people and counters.
  fileprivate var name: String {
    switch self {
    case .malformed: "malformed"
    case .unsupportedVersion: "unsupported_version"
    case .busy: "busy"
    case .unauthorized: "session_required"
    case .outOfRange: "out_of_range"
    case .notLeading: "not_leading"
    case .unspecified, .UNRECOGNIZED: "error"
    }
  }
}
