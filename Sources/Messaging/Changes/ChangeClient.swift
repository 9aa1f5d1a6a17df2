package import Domain
package import Logging
import Metrics
import SwiftProtobuf
import Telemetry

/// A feed's end of the change log: a DEALER, driven by `FeedPull`. It fetches, one request at a time, and hands on what
/// it gets in order.
package final class ChangeClient: ReactorSocket {
  package let socket: Socket
  private let endpoint: Endpoint
  private let feed: String
  private let logger: Logger
  private let replaced: (FeedState, Int64) -> Void
  private let changed: ([FeedChange], FeedDelta, FeedState) -> Void
  private let subscribers: () -> Int?
  private let onValidReply: (Int64) -> Void
  private let turnedStale: (Bool, Int64) -> Void
  private var pull: FeedPull
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
    _ context: Reactor.Context, connect endpoint: Endpoint, feed: String, snapshot: FeedState? = nil,
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
    self.onValidReply = heard
    self.turnedStale = turnedStale
    pull = FeedPull(snapshot: snapshot, nowMs: Reactor.nowMs)
  }

  package func receive(_ frames: [[UInt8]], nowMs: Int64) {
    if frames.count == 1, let (id, epoch, changes, hash) = FeedCodec.changes(frames[0]) {
      return run(pull.receive(.changes(changes, hash: hash), to: id, epoch: epoch, nowMs: nowMs), nowMs: nowMs)
    }
    guard let reply = FetchReply(frames), let epoch = Epoch(reply.epoch) else {
      pull.recordActivity(nowMs: nowMs)
      if malformed.add(nowMs: nowMs) {
        logger.warning("malformed frame from ingest", metadata: ["total": "\(malformed.count)"])
      }
      return
    }
    run(pull.receive(FeedPull.Reply(reply), to: reply.requestID, epoch: epoch, nowMs: nowMs), nowMs: nowMs)
  }

  package func tick(nowMs: Int64) -> Int64 {
    run(pull.tick(nowMs: nowMs), nowMs: nowMs)
    return pull.nextMs(nowMs: nowMs)
  }

  package func shutDown() {}

  private func run(_ effects: [FeedPull.Effect], nowMs: Int64) {
    for effect in effects {
      switch effect {
      case .reconnect:
        try? socket.reconnect(endpoint)
        reconnects.increment()
      case .fetch(let id, let state):
        let request = FetchRequest(id: id, feed: feed, after: state, subscribers: subscribers())
        if socket.send(request.bytes) != .accepted { pull.fetchFailed() }
      case .validReply: onValidReply(nowMs)
      case .replaced(let state): replaced(state, nowMs)
      case .changed(let changes, let delta, let state): changed(changes, delta, state)
      case .turnedStale(let isStale): turnedStale(isStale, nowMs)
      case .log(let event): log(event)
      }
    }
  }

  private func log(_ event: FeedPull.Event) {
    switch event {
    case .listReceived(let seq, let entries):
      logger.info("list taken", metadata: ["seq": "\(seq)", "entries": "\(entries)"])
    case .refused(let code, let detail):
      logger.error("refused by ingest", metadata: ["code": "\(code)", "detail": "\(detail)"])
    case .rejected(let reason): logger.error("refused what ingest sent", metadata: ["reason": "\(reason)"])
    case .regressed(let had, let now):
      logger.critical(
        "ingest's store has gone backwards: restore it with a new epoch",
        metadata: ["had": "\(had)", "now": "\(now)"])
    case .stale: logger.warning("ingest tells nothing: the list is stale")
    }
  }
}

extension FeedPull.Reply {
  init(_ reply: FetchReply) {
    switch reply.body {
    case .list(let list): self = .list(seq: reply.seq, entries(list.entries), hash: list.stateHash)
    case .changes(let changes):
      self = .changes(changes.changes, hash: changes.hasStateHash ? changes.stateHash : nil)
    case .error(let error): self = .refusal(code: "\(error.code)", detail: error.detail)
    case nil: self = .unknown
    }
  }
}
