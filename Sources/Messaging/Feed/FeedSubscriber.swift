package import Domain
package import Logging

/// A subscriber's SUB: it joins, follows the deltas, and heals by itself.
package final class FeedSubscriber: Station {
  /// What a subscriber is told, on the reactor's thread.
  package enum Event: Sendable {
    /// The whole list, after a join or a loss, and whether the feed is stale.
    case list(FeedState, isStale: Bool)
    /// What has changed, and the list with it.
    case changes(FeedDelta, FeedState)
    /// The feed has lost ingest: its list may be behind what is stored; or it has it back.
    case stale(Bool)
    /// The list is no longer known to be right; a new one is asked for.
    case lost(FeedLoss)
  }

  package let socket: Socket
  /// Feeds of the same list: the first is asked first, and each that falls silent or leaves is the last from then on.
  private var endpoints: [Endpoint]
  /// Those that it was told at its start: what goodbyes name comes and goes.
  private let configured: [Endpoint]
  private let logger: Logger
  private let tell: @Sendable (Event) -> Void
  private var replica: FeedReplica
  private var join: String?
  private var schedule: JoinSchedule
  private var malformed = MalformedFrames("feed")

  /// - Parameters:
  ///   - endpoints: one or more feeds of the same list, in the order in which to try them.
  ///   - curve: its own and the link's keys, the same for all of them; nil for plain text.
  ///   - tell: called on the reactor's thread; must not wait.
  package init(
    _ context: Reactor.Context, connect endpoints: [Endpoint], curve: CurveClient? = nil, logger: Logger,
    tell: @escaping @Sendable (Event) -> Void
  ) throws(LinkError) {
    socket = try context.socket(.sub, frameBytesMax: Limits.feedFrameBytesMax)
    try socket.set(ZMQOption.receiveHighWater, Int32(Limits.subscriberFramesQueuedMax))
    // In this order, and again in this order after every reconnection: what follows the join is complete.
    try socket.subscribe(Topic.delta)
    try socket.subscribe(Topic.heartbeat)
    let join = Topic.join(Topic.nonce())
    try socket.subscribe(join)
    self.join = join
    try context.connect(socket, endpoints[0], curve: curve, logger: logger)
    self.endpoints = endpoints
    configured = endpoints
    self.logger = logger
    self.tell = tell
    replica = FeedReplica(nowMs: Reactor.nowMs)
    schedule = JoinSchedule(joinedMs: Reactor.nowMs)
  }

  package func receive(_ frames: [[UInt8]], nowMs: Int64) {
    guard frames.count == 2, let frame = FeedFrame.read(frames[1]) else {
      if malformed.add(nowMs: nowMs) {
        logger.warning("malformed frame from the feed", metadata: ["total": "\(malformed.count)"])
      }
      return
    }
    switch replica.receive(frame, nowMs: nowMs) {
    case .replaced:
      schedule.listed()
      if let state = replica.state { tell(.list(state, isStale: replica.isFeedStale)) }
    case .changed(let delta): if let state = replica.state { tell(.changes(delta, state)) }
    case .staleness(let isStale): tell(.stale(isStale))
    case .resync(let loss):
      tell(.lost(loss))
      var random = SystemRandomNumberGenerator()
      schedule.lost(nowMs: nowMs, using: &random)
    case .unchanged: break
    }
    if case .bye(_, let alternates, let retryAfterMs) = frame {
      schedule.pause(untilMs: nowMs + min(retryAfterMs, Limits.byePauseMaxMs))
      leave(for: alternates, nowMs: nowMs)
    }
  }

  package func turn(nowMs: Int64) -> Int64 {
    let wasLive = replica.isLive
    if replica.isStale(nowMs: nowMs) {
      if wasLive { tell(.lost(.silent)) }
      connectNext(nowMs: nowMs)
    }
    if !replica.isLive, nowMs >= schedule.dueMs {
      rejoin()
      schedule.joined(nowMs: nowMs)
    }
    return replica.isLive ? nowMs + Limits.feedHeartbeatMs : min(schedule.dueMs, nowMs + Limits.feedHeartbeatMs)
  }

  package func leave() {}

  /// Leaves a feed that ends: connects to another one, if known. Otherwise stays, since this feed may come back.
  private func leave(for alternates: [String], nowMs: Int64) {
    let current = endpoints[0]
    endpoints = [current]
    for endpoint in FeedSubscriber.endpoints(in: alternates) + configured where !endpoints.contains(endpoint) {
      endpoints.append(endpoint)
    }
    if endpoints.count > 1 { connectNext(nowMs: nowMs) }
  }

  /// What a goodbye names that can be connected to: hosts with ports, not files of this one.
  static func endpoints(in alternates: [String]) -> [Endpoint] {
    alternates.prefix(Limits.alternatesMax).compactMap { text in
      guard text.hasPrefix("tcp://"), let endpoint = try? Endpoint(text), !endpoint.description.contains("*") else {
        return nil
      }
      return endpoint
    }
  }

  private func connectNext(nowMs: Int64) {
    endpoints.append(endpoints.removeFirst())
    replica.reconnected(nowMs: nowMs)
    try? socket.reconnect(endpoints[0])
    // libzmq subscribes again by itself.
    schedule.joined(nowMs: nowMs)
  }

  private func rejoin() {
    if let join { try? socket.unsubscribe(join) }
    let next = Topic.join(Topic.nonce())
    try? socket.subscribe(next)
    join = next
  }
}

/// When a subscriber without a list joins: at a random moment after each loss, so that a thousand subscribers of a
/// restarted feed do not join in the same instant, and again when a join has brought no list.
struct JoinSchedule {
  /// When to join next, unless a list has come by then.
  private(set) var dueMs: Int64
  /// The range of the latest loss, doubled with each; nil when there was none since the last list.
  private var pauseMs: Int64?

  init(joinedMs: Int64) {
    dueMs = 0
    joined(nowMs: joinedMs)
  }

  mutating func lost(nowMs: Int64, using random: inout some RandomNumberGenerator) {
    let pauseMs = pauseMs.map { min(2 * $0, Limits.joinPauseCapMs) } ?? Limits.joinPauseMs
    self.pauseMs = pauseMs
    dueMs = nowMs + Int64.random(in: 0..<pauseMs, using: &random)
  }

  mutating func joined(nowMs: Int64) { dueMs = nowMs + max(pauseMs ?? 0, Limits.joinAnswerMs) }

  /// Delays the next join until a time.
  mutating func pause(untilMs: Int64) { dueMs = max(dueMs, untilMs) }

  mutating func listed() { pauseMs = nil }
}
