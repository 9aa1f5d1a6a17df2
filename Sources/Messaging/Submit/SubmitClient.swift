package import Domain
package import Logging
import SwiftProtobuf

/// A producer's end of submission: a DEALER that sends batches of posts, and each of them again, with the same keys,
/// until it is answered.
package final class SubmitClient: ReactorSocket {
  /// What a producer has for it.
  package enum Next: Sendable {
    /// Posts, 1 to `Limits.submitPostsMax`, under a number that is used once.
    case batch(UInt64, [SubmittedPost])
    /// Nothing before a time in ms, of `Reactor.nowMs`.
    case pause(untilMs: Int64)
    /// Nothing any more.
    case over
  }

  /// What became of a batch.
  package enum Event: Sendable {
    /// One receipt for each of its posts, in their order; those that are BUSY may come in a later batch.
    case receipts(UInt64, [SubmitReceipt])
    /// It is sent again, or will be; the reason is for people.
    case repeated(UInt64, reason: String)
    /// It was refused as a whole, for good.
    case refused(UInt64, SubmitRefusal)
  }

  private struct Pending {
    let posts: [SubmittedPost]
    /// When it went out for the first time.
    let sinceMs: Int64
    /// When it goes out again.
    var dueMs: Int64
    /// True if ingest has asked for a pause: no reply to it is on its way.
    var isBusy = false
  }

  package let socket: Socket
  private let endpoint: Endpoint
  private let token: String
  private let logger: Logger
  private let next: (Int64) -> Next
  private let event: (Event) -> Void
  private var pending: [UInt64: Pending] = [:]
  private var lastReceivedMs: Int64
  /// The refusal after which nothing more is sent: the token has no session.
  private var terminalRefusal: SubmitRefusal?
  private var malformed = MalformedFrames("submit")

  /// On the reactor's thread, as all of it.
  ///
  /// - Parameters:
  ///   - curve: its own and the link's keys; nil for plain text.
  ///   - token: of a session.
  ///   - next: asked for more, with the time, whenever there is room; on the reactor's thread, must not wait.
  ///   - event: on the reactor's thread, must not wait.
  package init(
    _ context: Reactor.Context, connect endpoint: Endpoint, curve: CurveClient? = nil, token: String, logger: Logger,
    next: @escaping (Int64) -> Next, event: @escaping (Event) -> Void
  ) throws(LinkError) {
    socket = try context.socket(.dealer, frameBytesMax: Limits.submitFrameBytesMax)
    try socket.set(ZMQOption.immediate, 1)
    try context.connect(socket, endpoint, curve: curve, logger: logger)
    self.endpoint = endpoint
    self.token = token
    self.logger = logger
    self.next = next
    self.event = event
    lastReceivedMs = Reactor.nowMs
  }

  package func receive(_ frames: [[UInt8]], nowMs: Int64) {
    lastReceivedMs = nowMs
    if frames.count == 1, let (id, receipts) = SubmitCodec.receipts(frames[0]) {
      return handle(receipts, of: id, nowMs: nowMs)
    }
    guard let reply = SubmitReply(frames) else { return logOnce("no SubmitReply of this protocol", nowMs: nowMs) }
    // The second answer to what was sent twice, or one to nobody.
    guard var batch = pending[reply.requestID] else {
      if case .error(let error)? = reply.body { logOnce(error.detail, nowMs: nowMs) }
      return
    }
    switch reply.body {
    case .receipts(let receipts):
      handle(receipts.receipts.compactMap(\.receipt), of: reply.requestID, nowMs: nowMs)
    case .error(let error) where error.code == .unauthorized:
      terminalRefusal = SubmitRefusal(code: error.code.word, detail: error.detail)
      refuseAll()
    case .error(let error) where error.code == .busy:
      (batch.dueMs, batch.isBusy) = (nowMs + max(1, Int64(error.retryAfterMs)), true)
      pending[reply.requestID] = batch
      event(.repeated(reply.requestID, reason: "busy"))
    case .error(let error):
      pending[reply.requestID] = nil
      event(.refused(reply.requestID, SubmitRefusal(code: error.code.word, detail: error.detail)))
    case .statuses, nil: logOnce("an answer to something else", nowMs: nowMs)
    }
  }

  /// Refuses everything that waits: the token has no session.
  private func refuseAll() {
    guard let terminalRefusal else { return }
    for id in pending.keys { event(.refused(id, terminalRefusal)) }
    pending = [:]
  }

  private func handle(_ receipts: [SubmitReceipt], of id: UInt64, nowMs: Int64) {
    // The second answer to what was sent twice is none.
    guard let batch = pending[id] else { return }
    guard receipts.count == batch.posts.count else { return logOnce("receipts that do not fit", nowMs: nowMs) }
    pending[id] = nil
    event(.receipts(id, receipts))
  }

  package func tick(nowMs: Int64) -> Int64 {
    var nextMs = Int64.max
    // A connection that nothing comes from although something is open may be one in name only.
    let oldestMs = pending.values.lazy.map(\.sinceMs).min() ?? nowMs
    if nowMs - max(lastReceivedMs, oldestMs) > Limits.livenessMs {
      lastReceivedMs = nowMs
      try? socket.reconnect(endpoint)
      // Replies that were on their way went with the old connection.
      for (id, batch) in pending where !batch.isBusy { pending[id]?.dueMs = nowMs }
    }
    for (id, batch) in pending {
      if batch.dueMs <= nowMs {
        if send(id, batch.posts, nowMs: nowMs) { event(.repeated(id, reason: "not answered")) }
      }
      nextMs = min(nextMs, pending[id]?.dueMs ?? .max)
    }
    while pending.count < Limits.submitUnansweredMax {
      switch next(nowMs) {
      case .batch(let id, _) where terminalRefusal != nil: if let terminalRefusal { event(.refused(id, terminalRefusal)) }
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

  /// False without a connection, or with a full one: it is due again in a moment.
  @discardableResult
  private func send(_ id: UInt64, _ posts: [SubmittedPost], nowMs: Int64) -> Bool {
    let isSent = socket.send(SubmitCodec.batch(posts, id: id, token: token)) == .accepted
    let sinceMs = pending[id]?.sinceMs ?? nowMs
    let pauseMs = isSent ? Limits.submitReplyTimeoutMs : Limits.submitUnsentMs
    pending[id] = Pending(posts: posts, sinceMs: sinceMs, dueMs: nowMs + pauseMs)
    return isSent
  }

  private func logOnce(_ reason: String, nowMs: Int64) {
    guard malformed.add(nowMs: nowMs) else { return }
    logger.warning("not understood at submission", metadata: ["reason": "\(reason)", "total": "\(malformed.count)"])
  }
}

extension Onthemap_Submit_V1_ErrorCode {
  /// For people and tallies.
  fileprivate var word: String {
    switch self {
    case .malformed: "malformed"
    case .unsupportedVersion: "unsupported_version"
    case .busy: "busy"
    case .unauthorized: "session_required"
    case .outOfRange: "out_of_range"
    case .unspecified, .UNRECOGNIZED: "error"
    }
  }
}
