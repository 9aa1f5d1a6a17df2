package import Domain
package import Logging
import Metrics
import SwiftProtobuf
import Telemetry

/// A feed's end of the change log: a DEALER that fetches, one request at a time, and hands on what it gets in order.
package final class ChangeClient: Station {
  package let socket: Socket
  private let endpoint: Endpoint
  private let feed: String
  private let logger: Logger
  private let replaced: (FeedState, Int64) -> Void
  private let changed: ([FeedChange], FeedDelta, FeedState) -> Void
  private let subscribers: () -> Int?
  private let heard: (Int64) -> Void
  private let turnedStale: (Bool, Int64) -> Void
  private var state: FeedState?
  /// Whether ingest has said nothing that could be taken for `Limits.livenessMs`, or not yet.
  private var isStale = true
  private var takenMs: Int64 = 0
  private var id: UInt64 = 0
  private var askedMs: Int64?
  /// When it asks again, at the earliest.
  private var restedMs: Int64 = 0
  private var heardMs: Int64
  private var malformed = MalformedFrames("changes")
  private let reconnects = Metric.linkReconnects.counter("changes")

  /// - Parameters:
  ///   - feed: a name for people, at most 64 bytes.
  ///   - curve: its own and the link's keys; nil for plain text.
  ///   - kept: the list of before, which need not be told again; nil where there is none.
  ///   - subscribers: how many the feed has, for ingest's operator; nil where that is not known.
  ///   - heard: ingest has said something that could be taken, at that time; on the reactor's thread.
  ///   - turnedStale: ingest has said nothing of that kind for `Limits.livenessMs`, or does so again, and the time; on
  ///     the reactor's thread. It begins stale.
  ///   - replaced: a whole list, and the time; on the reactor's thread.
  ///   - changed: what follows, each and in one, and the list with it; on the reactor's thread.
  package init(
    _ context: Reactor.Context, connect endpoint: Endpoint, feed: String, kept: FeedState? = nil,
    curve: CurveClient? = nil, logger: Logger, subscribers: @escaping () -> Int? = { nil },
    heard: @escaping (Int64) -> Void = { _ in }, turnedStale: @escaping (Bool, Int64) -> Void = { _, _ in },
    replaced: @escaping (FeedState, Int64) -> Void,
    changed: @escaping ([FeedChange], FeedDelta, FeedState) -> Void
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
    self.turnedStale = turnedStale
    state = kept
    heardMs = Reactor.nowMs
  }

  package func receive(_ frames: [[UInt8]], nowMs: Int64) {
    heardMs = nowMs
    if frames.count == 1, let (id, epoch, changes, hash) = EntryFrame.changes(frames[0]) {
      if isAwaited(id) { take(changes, hash: hash, of: epoch, nowMs: nowMs) }
      return
    }
    guard let reply = FetchReply(frames), let epoch = Epoch(reply.epoch) else {
      if malformed.add(nowMs: nowMs) {
        logger.warning("malformed frame from ingest", metadata: ["total": "\(malformed.count)"])
      }
      return
    }
    guard isAwaited(reply.requestID) else { return }
    switch reply.body {
    case .list(let list):
      guard let entries = entries(list.entries) else { return refuse("a list with a forbidden field", nowMs: nowMs) }
      let new = FeedState(epoch: epoch, seq: reply.seq, entries: entries)
      guard new.hash == list.stateHash else { return refuse("a list that its hash does not match", nowMs: nowMs) }
      if let state, state.epoch == epoch, new.seq < state.seq { return refuseHistory(at: new.seq, nowMs: nowMs) }
      logger.info("list taken", metadata: ["seq": "\(new.seq)", "entries": "\(new.entries.count)"])
      state = new
      heardFrom(nowMs: nowMs)
      replaced(new, nowMs)
      turnFresh(nowMs: nowMs)
    case .changes(let changes):
      take(changes.changes, hash: changes.hasStateHash ? changes.stateHash : nil, of: epoch, nowMs: nowMs)
    case .error(let error):
      logger.error("refused by ingest", metadata: ["code": "\(error.code)", "detail": "\(error.detail)"])
      rest(until: nowMs + Limits.livenessMs)
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
    if let askedMs, nowMs - askedMs > Limits.fetchAnswerMs { self.askedMs = nil }
    if askedMs == nil, nowMs >= restedMs {
      id += 1
      let sent = socket.send(FetchRequest(id: id, feed: feed, after: state, subscribers: subscribers()).bytes)
      if sent == .accepted { askedMs = nowMs }
    }
    if !isStale, nowMs - takenMs > Limits.livenessMs {
      logger.warning("ingest tells nothing: the list is stale")
      turnStale(nowMs: nowMs)
    }
    let untriedMs = nowMs < restedMs ? restedMs : nowMs + Limits.linkRetryMs
    let askMs = askedMs.map { $0 + Limits.fetchAnswerMs + 1 } ?? untriedMs
    var nextMs = min(askMs, heardMs + Limits.livenessMs + 1)
    if !isStale { nextMs = min(nextMs, takenMs + Limits.livenessMs + 1) }
    return nextMs
  }

  package func leave() {}

  /// Not so an answer to a question of before a reconnection.
  private func isAwaited(_ answered: UInt64) -> Bool {
    guard answered == id, askedMs != nil else { return false }
    askedMs = nil
    return true
  }

  /// What ingest has said could be taken.
  private func heardFrom(nowMs: Int64) {
    takenMs = nowMs
    heard(nowMs)
  }

  /// After what ingest has said is told: before, the list of before would be told as fresh.
  private func turnFresh(nowMs: Int64) {
    guard isStale else { return }
    isStale = false
    turnedStale(false, nowMs)
  }

  private func turnStale(nowMs: Int64) {
    guard !isStale else { return }
    isStale = true
    turnedStale(true, nowMs)
  }

  /// - Parameters:
  ///   - changes: by rising `seq`; nil when one is not as the protocol says.
  ///   - hash: of ingest's list after them; nil where it is not told.
  private func take(_ changes: [FeedChange]?, hash: UInt64?, of epoch: Epoch, nowMs: Int64) {
    guard let changes, var new = state, epoch == new.epoch, changes.first?.seq ?? .max > new.seq,
      zip(changes, changes.dropFirst()).allSatisfy({ $0.seq < $1.seq })
    else { return refuse("changes with a forbidden field, of another history or out of order", nowMs: nowMs) }
    let delta = new.apply(changes)
    if let hash, hash != new.hash { return refuseHistory(at: new.seq, nowMs: nowMs) }
    heardFrom(nowMs: nowMs)
    state = new
    if !changes.isEmpty { changed(changes, delta, new) }
    // As many as fit: more may wait.
    if changes.count < Limits.changesPerFetchMax { turnFresh(nowMs: nowMs) }
  }

  /// What ingest says cannot be taken: the same answer would come at once, again and again.
  private func refuse(_ reason: String, nowMs: Int64) {
    logger.error("refused what ingest sent", metadata: ["reason": "\(reason)"])
    rest(until: nowMs + Limits.livenessMs)
  }

  /// Nothing is to be heard meanwhile.
  private func rest(until ms: Int64) { (restedMs, heardMs) = (ms, ms) }

  /// A store that has gone backwards under the same epoch, and perhaps on from there under numbers that were used
  /// before, is not what subscribers have seen: say so, and keep to that.
  private func refuseHistory(at seq: UInt64, nowMs: Int64) {
    logger.critical(
      "ingest's store has gone backwards: restore it with a new epoch",
      metadata: ["had": "\(state?.seq ?? 0)", "now": "\(seq)"])
    turnStale(nowMs: nowMs)
    rest(until: nowMs + Limits.livenessMs)
  }
}
