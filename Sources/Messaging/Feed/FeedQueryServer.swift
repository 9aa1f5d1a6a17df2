package import Domain
package import Logging
import Metrics
import SwiftProtobuf
import Telemetry

/// A feed's ROUTER for questions: the whole list, or what has changed since. Answered at once, from memory.
package final class FeedQueryServer: ReactorSocket {
  package let socket: Socket
  /// With the port that was taken.
  package let endpoint: Endpoint
  private let logger: Logger
  private var list: (state: FeedState, log: ChangeLog)?
  private var isStale = true
  private var tokens: TokenBucket
  /// Questions of this second that got a token, by who asked: as many entries as tokens at most.
  private var queriesByPeer: [[UInt8]: Int] = [:]
  private var queriesSecond: Int64 = 0
  private var malformed = MalformedFrames("query")
  private let unread: SendBufferLimit
  private let answered = Metric.feedQueries.counter()
  private let refused = Metric.feedQueriesRefused.counter()

  /// - Parameters:
  ///   - perSecond: questions that are answered.
  ///   - curve: the link's keys; nil for plain text.
  ///   - unreadBytesMax: bytes of answers that may be unread, all together.
  package init(
    _ context: Reactor.Context, bind: Endpoint, perSecond: Int = Limits.feedQueriesPerSecondMax,
    curve: CurveServer? = nil, unreadBytesMax: Int = Limits.feedReplyBytesUnreadMax, logger: Logger
  ) throws(LinkError) {
    tokens = TokenBucket(perSecond: perSecond)
    socket = try context.socket(.router, frameBytesMax: Limits.feedQueryBytesMax)
    try socket.set(ZMQOption.routerMandatory, 1)
    try socket.set(ZMQOption.sendHighWater, Int32(Limits.feedRepliesQueuedMax))
    endpoint = try context.bind(socket, bind, as: .query, curve: curve, logger: logger)
    unread = SendBufferLimit(unreadBytesMax, at: socket, .query, logger: logger)
    self.logger = logger
  }

  /// The list after a start, a gap, or another history. On the reactor's thread, as all here.
  package func replace(_ state: FeedState) { list = (state, ChangeLog(state: state, capacity: Limits.feedChangesKept)) }

  /// Changes of the list, and the list after them.
  package func change(_ changes: [FeedChange], to state: FeedState) {
    list?.log.append(changes)
    list?.state = state
  }

  /// Whether ingest is silent. It begins stale.
  package func set(isStale: Bool) { self.isStale = isStale }

  /// What changed after a number that is not below it can be told.
  package var ringFrom: UInt64 { list?.log.ringFrom ?? 0 }

  package func receive(_ frames: [[UInt8]], nowMs: Int64) {
    guard var envelope = frames.first.map({ [$0] }) else { return }
    // REQ puts an empty frame before its question, and wants it back.
    if frames.count == 3, frames[1].isEmpty { envelope.append([]) }
    guard frames.count == envelope.count + 1, let body = frames.last,
      let request = try? FeedRequest(serializedBytes: body), request.magic == Protocol.magic
    else { return reject(envelope, id: 0, .malformed, "not a FeedRequest of this protocol", nowMs: nowMs) }
    // Before its body: another major may have bodies that are unknown here.
    guard request.major == Protocol.major else {
      let detail = "version \(Protocol.major) is spoken here"
      return reject(envelope, id: request.requestID, .unsupportedVersion, detail, nowMs: nowMs)
    }
    guard let question = Query(request) else {
      let detail = "no question that this version knows, or an epoch that has not 16 bytes"
      return reject(envelope, id: request.requestID, .malformed, detail, nowMs: nowMs)
    }
    guard admit(envelope[0], nowMs: nowMs) else {
      return refuse(
        envelope, id: request.requestID, .busy, "too many ask at once", retryAfterMs: Limits.feedQueryBusyMs)
    }
    guard unread.isWithinLimit else {
      return refuse(
        envelope, id: request.requestID, .busy, "too many answers are unread", retryAfterMs: Limits.feedQueryBusyMs)
    }
    guard let list else {
      let detail = "ingest has not told this feed the list yet"
      return refuse(envelope, id: request.requestID, .unavailable, detail, retryAfterMs: Limits.feedQueryEmptyMs)
    }
    answered.increment()
    let answer = answer(to: question, list)
    let frame = FeedCodec.answer(answer, list.state, isStale: isStale, id: request.requestID)
    socket.send(envelope, SharedFrame(frame, in: unread.memory))
  }

  package func tick(nowMs: Int64) -> Int64 { unread.tick(nowMs: nowMs) }

  package func shutDown() {}

  private func admit(_ asker: [UInt8], nowMs: Int64) -> Bool {
    if nowMs / 1_000 != queriesSecond {
      queriesSecond = nowMs / 1_000
      queriesByPeer.removeAll(keepingCapacity: true)
    }
    guard queriesByPeer[asker, default: 0] < Limits.feedQueriesPerPeerMax, tokens.consume(1, nowMs: nowMs) == 1 else {
      return false
    }
    queriesByPeer[asker, default: 0] += 1
    return true
  }

  private enum Query {
    case snapshot(Epoch?, seq: UInt64)
    case changes(Epoch, after: UInt64)

    /// Nil when it is not as the protocol says.
    init?(_ request: FeedRequest) {
      switch request.body {
      case .getSnapshot(let snapshot):
        let epoch = Epoch(snapshot.ifEpoch)
        guard epoch != nil || snapshot.ifEpoch.isEmpty else { return nil }
        self = .snapshot(epoch, seq: snapshot.ifSeq)
      case .getChanges(let changes):
        guard let epoch = Epoch(changes.epoch) else { return nil }
        self = .changes(epoch, after: changes.afterSeq)
      case nil: return nil
      }
    }
  }

  private func answer(to question: Query, _ list: (state: FeedState, log: ChangeLog)) -> FeedCodec.QueryReply {
    switch question {
    case .snapshot(let epoch?, let seq) where epoch == list.state.epoch && seq == list.state.seq,
      .changes(let epoch, let seq) where epoch == list.state.epoch && seq == list.state.seq:
      .notModified
    case .snapshot: .snapshot
    case .changes(let epoch, let seq): list.log.delta(epoch: epoch, afterSeq: seq).map { .delta($0) } ?? .snapshot
    }
  }

  /// Counts what cannot be read; logs and answers it once a second.
  private func reject(
    _ envelope: [[UInt8]], id: UInt64, _ code: Onthemap_Feed_V1_QueryErrorCode, _ detail: String, nowMs: Int64
  ) {
    guard malformed.add(nowMs: nowMs) else { return }
    logger.warning(
      "malformed question at the feed", metadata: ["reason": "\(detail)", "total": "\(malformed.count)"])
    refuse(envelope, id: id, code, detail, retryAfterMs: 0)
  }

  private func refuse(
    _ envelope: [[UInt8]], id: UInt64, _ code: Onthemap_Feed_V1_QueryErrorCode, _ detail: String, retryAfterMs: Int64
  ) {
    refused.increment()
    let error = Onthemap_Feed_V1_QueryError.with {
      ($0.code, $0.detail, $0.retryAfterMs) = (code, detail, UInt32(retryAfterMs))
    }
    socket.send(frames: envelope + [FeedReply(id: id, error: error).bytes])
  }
}
