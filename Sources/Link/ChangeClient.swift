package import Logging
import Metrics
package import OnTheMap
import SwiftProtobuf
import Telemetry

/// A feed's end of the change log: a DEALER that fetches, one request at a time, and hands on what it gets in order.
package final class ChangeClient: Station {
  package let socket: Socket
  private let endpoint: Endpoint
  private let feed: String
  private let logger: Logger
  private let replaced: (FeedState, Int64) -> Void
  private let changed: (FeedChange, FeedState) -> Void
  private let subscribers: () -> Int?
  private let heard: (Int64) -> Void
  private var state: FeedState?
  private var id: UInt64 = 0
  private var askedMs: Int64?
  private var heardMs: Int64
  private var malformed = MalformedFrames("changes")
  private let reconnects = Metric.linkReconnects.counter("changes")

  /// - Parameters:
  ///   - feed: a name for people, at most 64 bytes.
  ///   - curve: its own and the link's keys; nil for plain text.
  ///   - subscribers: how many the feed has, for ingest's operator; nil where that is not known.
  ///   - heard: whatever ingest has said, at that time; on the reactor's thread.
  ///   - replaced: a whole list, and the time; on the reactor's thread.
  ///   - changed: what follows, and the list with it; on the reactor's thread.
  package init(
    _ context: Reactor.Context, connect endpoint: Endpoint, feed: String, curve: CurveClient? = nil,
    logger: Logger, subscribers: @escaping () -> Int? = { nil }, heard: @escaping (Int64) -> Void = { _ in },
    replaced: @escaping (FeedState, Int64) -> Void, changed: @escaping (FeedChange, FeedState) -> Void
  ) throws(LinkError) {
    socket = try context.socket(.dealer, frameBytesMax: Limits.feedFrameBytesMax)
    try socket.set(ZMQOption.immediate, 1)
    try context.connect(socket, endpoint, as: .changes, curve: curve, logger: logger)
    self.endpoint = endpoint
    self.feed = feed
    self.logger = logger
    self.replaced = replaced
    self.changed = changed
    self.subscribers = subscribers
    self.heard = heard
    heardMs = Reactor.nowMs
  }

  package func receive(_ frames: [[UInt8]], nowMs: Int64) {
    heardMs = nowMs
    if frames.count == 1, let (id, epoch, entries) = EntryFrame.changes(frames[0]) {
      if isAwaited(id, nowMs: nowMs) { take(entries, of: epoch, nowMs: nowMs) }
      return
    }
    guard let reply = FetchReply(frames), let epoch = Epoch(reply.epoch) else {
      if malformed.add(nowMs: nowMs) {
        logger.warning("malformed frame from ingest", metadata: ["total": "\(malformed.count)"])
      }
      return
    }
    guard isAwaited(reply.requestID, nowMs: nowMs) else { return }
    switch reply.body {
    case .list(let list):
      guard let entries = entries(list.entries) else { return refuse("a list with a forbidden field", nowMs: nowMs) }
      let new = FeedState(epoch: epoch, seq: reply.seq, entries: entries)
      guard new.hash == list.stateHash else { return refuse("a list that its hash does not match", nowMs: nowMs) }
      guard isForward(new) else { return }
      logger.info("list taken", metadata: ["seq": "\(new.seq)", "entries": "\(new.entries.count)"])
      state = new
      replaced(new, nowMs)
    case .changes(let changes): take(changes.entries, of: epoch, nowMs: nowMs)
    case .error(let error):
      logger.error("refused by ingest", metadata: ["code": "\(error.code)", "detail": "\(error.detail)"])
      askedMs = nowMs + Limits.livenessMs
    case nil: refuse("an answer of a kind that this version does not know", nowMs: nowMs)
    }
  }

  package func turn(nowMs: Int64) -> Int64 {
    if nowMs - heardMs > Limits.livenessMs {
      heardMs = nowMs
      askedMs = nil
      try? socket.reconnect(endpoint)
      reconnects.increment()
    }
    // Not answered in its time and some more: the connection was lost with it.
    if let askedMs, nowMs - askedMs > 2 * Limits.fetchWaitMs { self.askedMs = nil }
    if askedMs == nil {
      id += 1
      let sent = socket.send(FetchRequest(id: id, feed: feed, after: state, subscribers: subscribers()).bytes)
      if sent == .accepted { askedMs = nowMs } else { return nowMs + 100 }
    }
    return min((askedMs ?? nowMs) + 2 * Limits.fetchWaitMs + 1, heardMs + Limits.livenessMs + 1)
  }

  package func leave() {}

  /// Not so an answer to a question of before a reconnection.
  private func isAwaited(_ answered: UInt64, nowMs: Int64) -> Bool {
    guard answered == id, askedMs != nil else { return false }
    askedMs = nil
    heard(nowMs)
    return true
  }

  /// - Parameter entries: by rising `seq`; nil when one is not as the protocol says.
  private func take(_ entries: [FeedEntry]?, of epoch: Epoch, nowMs: Int64) {
    guard let entries, let prevSeq = state?.seq, epoch == state?.epoch else {
      return refuse("changes with a forbidden field or of another history", nowMs: nowMs)
    }
    guard !entries.isEmpty, let removed = state?.apply(entries), let state else { return }
    changed(FeedChange(prevSeq: prevSeq, entries: entries, removed: removed), state)
  }

  /// What ingest says cannot be taken: the same answer would come at once, again and again.
  private func refuse(_ reason: String, nowMs: Int64) {
    logger.error("refused what ingest sent", metadata: ["reason": "\(reason)"])
    askedMs = nowMs + Limits.livenessMs
  }

  /// A store that has gone backwards under the same epoch is not what subscribers have seen: say so, and keep to that.
  private func isForward(_ new: FeedState) -> Bool {
    guard let state, state.epoch == new.epoch, new.seq < state.seq else { return true }
    logger.critical(
      "ingest's store has gone backwards: restore it with a new epoch",
      metadata: ["had": "\(state.seq)", "now": "\(new.seq)"])
    askedMs = Reactor.nowMs + Limits.livenessMs
    return false
  }
}
