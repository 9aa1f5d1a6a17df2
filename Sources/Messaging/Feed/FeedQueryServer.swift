package import Domain
package import Logging
import Metrics
import SwiftProtobuf
import Telemetry

/// A feed's ROUTER for queries: the whole list, or the changes since a sequence number. It replies immediately, from
/// memory.
package final class FeedQueryServer: ReactorSocket {
  package let socket: Socket
  /// Address with the actual port.
  package let endpoint: Endpoint
  private let logger: Logger
  private var list: (state: FeedState, log: ChangeLog)?
  private var isStale = true
  private var tokens: TokenBucket
  /// Admitted queries of this second, by peer. It has at most as many entries as tokens.
  private var queriesByPeer: [[UInt8]: Int] = [:]
  private var queriesSecond: Int64 = 0
  private var malformed = MalformedFrames("query")
  private let unread: SendBufferLimit
  private let replies = Metric.feedQueries.counter()
  private let refusals = Metric.feedQueriesRefused.counter()

  /// Creates the server, and binds its socket.
  ///
  /// - Parameters:
  ///   - perSecond: Maximum rate of queries, per second.
  ///   - curve: Keys of the link. Nil disables encryption.
  ///   - unreadBytesMax: Maximum bytes of unread replies, for all peers together.
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

  /// Replaces the list: after a start, after a gap, or for another epoch. Like every method here, it runs on the
  /// reactor's thread.
  package func replace(_ state: FeedState) { list = (state, ChangeLog(state: state, capacity: Limits.feedChangesKept)) }

  /// Appends changes and stores the list after them.
  package func change(_ changes: [FeedChange], to state: FeedState) {
    list?.log.append(changes)
    list?.state = state
  }

  /// Sets the staleness: true while ingest is silent. The server begins stale.
  package func set(isStale: Bool) { self.isStale = isStale }

  /// Lowest sequence number from which the server can compute a delta.
  package var minAfterSeq: UInt64 { list?.log.minAfterSeq ?? 0 }

  package func receive(_ frames: [[UInt8]], nowMs: Int64) {
    guard var envelope = frames.first.map({ [$0] }) else { return }
    // A REQ socket puts an empty frame before its request, and requires it in the reply.
    if frames.count == 3, frames[1].isEmpty { envelope.append([]) }
    guard frames.count == envelope.count + 1, let body = frames.last,
      let request = try? FeedRequest(serializedBytes: body), request.magic == Protocol.magic
    else { return refuse(envelope, id: 0, .malformed, "not a FeedRequest of this protocol", nowMs: nowMs) }
    // Check the version before the body: another major version may have bodies that are unknown here.
    guard request.major == Protocol.major else {
      let detail = "this feed supports version \(Protocol.major) only"
      return refuse(envelope, id: request.requestID, .unsupportedVersion, detail, nowMs: nowMs)
    }
    guard let query = Query(request) else {
      let detail = "an unknown query, or an epoch that is not 16 bytes long"
      return refuse(envelope, id: request.requestID, .malformed, detail, nowMs: nowMs)
    }
    guard admit(envelope[0], nowMs: nowMs) else {
      return refuse(
        envelope, id: request.requestID, .busy, "too many queries", retryAfterMs: Limits.feedQueryBusyMs)
    }
    guard unread.isWithinLimit else {
      return refuse(
        envelope, id: request.requestID, .busy, "too many unread replies", retryAfterMs: Limits.feedQueryBusyMs)
    }
    guard let list else {
      let detail = "ingest has not sent a list to this feed yet"
      return refuse(envelope, id: request.requestID, .unavailable, detail, retryAfterMs: Limits.feedQueryEmptyMs)
    }
    replies.increment()
    let reply = reply(to: query, list)
    let frame = FeedCodec.queryReply(reply, list.state, isStale: isStale, id: request.requestID)
    socket.send(envelope, SharedFrame(frame, in: unread.memory))
  }

  package func tick(nowMs: Int64) -> Int64 { unread.tick(nowMs: nowMs) }

  package func shutDown() {}

  private func admit(_ peer: [UInt8], nowMs: Int64) -> Bool {
    if nowMs / 1_000 != queriesSecond {
      queriesSecond = nowMs / 1_000
      queriesByPeer.removeAll(keepingCapacity: true)
    }
    guard queriesByPeer[peer, default: 0] < Limits.feedQueriesPerPeerMax, tokens.consume(1, nowMs: nowMs) == 1 else {
      return false
    }
    queriesByPeer[peer, default: 0] += 1
    return true
  }

  private enum Query {
    case snapshot(Epoch?, seq: UInt64)
    case changes(Epoch, after: UInt64)

    /// Decodes a query. Nil if it breaks the protocol.
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

  private func reply(to query: Query, _ list: (state: FeedState, log: ChangeLog)) -> FeedCodec.QueryReply {
    switch query {
    case .snapshot(let epoch?, let seq) where epoch == list.state.epoch && seq == list.state.seq,
      .changes(let epoch, let seq) where epoch == list.state.epoch && seq == list.state.seq:
      .notModified
    case .snapshot: .snapshot
    case .changes(let epoch, let seq): list.log.delta(epoch: epoch, afterSeq: seq).map { .delta($0) } ?? .snapshot
    }
  }

  /// Counts a malformed query. Logs it and replies at most once a second.
  private func refuse(
    _ envelope: [[UInt8]], id: UInt64, _ code: Onthemap_Feed_V1_QueryErrorCode, _ detail: String, nowMs: Int64
  ) {
    guard malformed.add(nowMs: nowMs) else { return }
    malformed.log(detail, to: logger)
    refuse(envelope, id: id, code, detail, retryAfterMs: 0)
  }

  private func refuse(
    _ envelope: [[UInt8]], id: UInt64, _ code: Onthemap_Feed_V1_QueryErrorCode, _ detail: String, retryAfterMs: Int64
  ) {
    refusals.increment()
    let error = Onthemap_Feed_V1_QueryError.with {
      ($0.code, $0.detail, $0.retryAfterMs) = (code, detail, UInt32(retryAfterMs))
    }
    socket.send(frames: envelope + [FeedReply(id: id, error: error).bytes])
  }
}
