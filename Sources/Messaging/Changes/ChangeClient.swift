package import Domain
package import Logging
import Metrics
import SwiftProtobuf
import Telemetry

/// A feed's end of the change log: a DEALER, driven by `FeedPull`. It sends one fetch at a time and passes on the
/// changes in order.
package final class ChangeClient: ReactorSocket {
  package let socket: Socket
  private let connection: ClientConnection
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

  /// Creates the client, and connects its socket to the first address.
  ///
  /// - Parameters:
  ///   - endpoints: At least one address of ingest, in the order in which to try them.
  ///   - feed: Name of the feed for people, at most 64 bytes.
  ///   - snapshot: List of an earlier run, which ingest need not send again. Nil if there is none.
  ///   - curve: Keys of the feed and of the link, the same for all addresses. Nil disables encryption.
  ///   - subscribers: Number of the feed's subscribers, for ingest's operator. Nil if it is unknown.
  ///   - onValidReply: Handler of a valid reply, with its time. It runs on the reactor's thread.
  ///   - turnedStale: Handler of a change of staleness, with the time. It runs on the reactor's thread. Its argument is
  ///     true when ingest has sent no valid reply for `Limits.livenessMs`, and false after the next valid reply. The
  ///     client begins stale.
  ///   - replaced: Handler of a complete list, with the time. It runs on the reactor's thread.
  ///   - changed: Handler of changes, their delta and the list after them. It runs on the reactor's thread.
  package init(
    _ context: Reactor.Context, connect endpoints: [Endpoint], feed: String, snapshot: FeedState? = nil,
    curve: CurveClient? = nil, logger: Logger, subscribers: @escaping () -> Int? = { nil },
    onValidReply: @escaping (Int64) -> Void = { _ in },
    turnedStale: @escaping (Bool, Int64) -> Void = { _, _ in },
    replaced: @escaping (FeedState, Int64) -> Void,
    changed: @escaping ([FeedChange], FeedDelta, FeedState) -> Void
  ) throws(LinkError) {
    socket = try context.socket(.dealer, frameBytesMax: Limits.feedFrameBytesMax)
    try socket.set(ZMQOption.immediate, 1)
    connection = try ClientConnection(context, socket, connect: endpoints, as: .changes, curve: curve, logger: logger)
    self.feed = feed
    self.logger = logger
    self.replaced = replaced
    self.changed = changed
    self.subscribers = subscribers
    self.onValidReply = onValidReply
    self.turnedStale = turnedStale
    pull = FeedPull(snapshot: snapshot, nowMs: Reactor.nowMs)
  }

  package func receive(_ frames: [[UInt8]], nowMs: Int64) {
    if frames.count == 1, let (id, epoch, generation, changes, hash) = FeedCodec.changes(frames[0]) {
      return receive(
        .changes(changes, hash: hash), to: id, epoch: epoch, start: IngestStart(epoch, generation), nowMs: nowMs)
    }
    guard let reply = FetchReply(frames), let epoch = Epoch(reply.epoch) else {
      pull.recordActivity(nowMs: nowMs)
      if malformed.add(nowMs: nowMs) { malformed.log("not a FetchReply of this protocol", to: logger) }
      return
    }
    receive(FeedPull.Reply(reply), to: reply.requestID, epoch: epoch, start: reply.start, nowMs: nowMs)
  }

  private func receive(_ reply: FeedPull.Reply, to id: UInt64, epoch: Epoch, start: IngestStart?, nowMs: Int64) {
    guard connection.admits(start) else {
      pull.refuseStart(nowMs: nowMs)
      return handle(connection.leave(.lowerGeneration, retryAfterMs: Limits.livenessMs, nowMs: nowMs), nowMs: nowMs)
    }
    run(pull.receive(reply, to: id, epoch: epoch, nowMs: nowMs), nowMs: nowMs)
  }

  package func tick(nowMs: Int64) -> Int64 {
    handle(connection.tick(nowMs: nowMs), nowMs: nowMs)
    run(pull.tick(nowMs: nowMs), nowMs: nowMs)
    return min(pull.nextMs(nowMs: nowMs), connection.nextMs)
  }

  private func handle(_ change: ClientConnection.Change?, nowMs: Int64) {
    switch change {
    case .left(let untilMs): pull.pause(untilMs: untilMs)
    case .connected: pull.connected(nowMs: nowMs)
    case nil: break
    }
  }

  package func shutDown() {}

  private func run(_ effects: [FeedPull.Effect], nowMs: Int64) {
    for effect in effects {
      switch effect {
      case .reconnect:
        reconnects.increment()
        handle(connection.reconnect(nowMs: nowMs), nowMs: nowMs)
      case .leave:
        handle(connection.leave(.refused, retryAfterMs: Limits.livenessMs, nowMs: nowMs), nowMs: nowMs)
      case .fetch(let id, let state):
        let request = FetchRequest(id: id, feed: feed, after: state, subscribers: subscribers())
        if !connection.send(request.bytes, nowMs: nowMs) { pull.fetchFailed() }
      case .validReply:
        connection.answered()
        onValidReply(nowMs)
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
      logger.info(
        "snapshot loaded", metadata: ["source": "ingest", "seq": "\(seq)", "entries": "\(entries)"])
    case .fetchRefused(let code, let detail):
      logger.error("fetch refused by ingest", metadata: ["code": "\(code)", "detail": "\(detail)"])
    case .replyRefused(let reason): logger.error("reply from ingest refused", metadata: ["reason": "\(reason)"])
    case .regressed(let had, let now):
      logger.critical(
        """
        ingest's list is older than this feed's, or conflicts with it: begin a new epoch, as deploy/Restore.md or \
        deploy/PostgreSQLBackup.md says
        """,
        metadata: ["feed_seq": "\(had)", "ingest_seq": "\(now)"])
    case .stale: logger.warning("ingest timed out: serving a stale list")
    case .fresh: logger.notice("ingest recovered: serving the current list")
    }
  }
}

extension FeedPull.Reply {
  init(_ reply: FetchReply) {
    switch reply.body {
    case .snapshot(let snapshot):
      self = .snapshot(seq: reply.seq, entries(snapshot.entries), hash: snapshot.stateHash)
    case .changes(let changes):
      self = .changes(changes.changes, hash: changes.hasStateHash ? changes.stateHash : nil)
    case .error(let error): self = .refusal(code: error.code.name, detail: error.detail)
    case nil: self = .unknown
    }
  }
}

extension Onthemap_Changes_V1_ErrorCode {
  /// Name of the code in the log.
  fileprivate var name: String {
    switch self {
    case .malformed: "malformed"
    case .unsupportedVersion: "unsupported_version"
    case .notLeading: "not_leading"
    case .unspecified: "unspecified"
    case .UNRECOGNIZED(let number): "\(number)"
    }
  }
}
