package import Domain
package import Logging
import Metrics
import SwiftProtobuf
import Telemetry

/// The feed's XPUB, driven by `FeedPublishing`. It publishes deltas, snapshots and heartbeats to all subscribers, and a
/// snapshot to each subscriber that joins.
///
/// Joins, deltas and snapshots travel through one pipe, in order. For this reason a join cannot miss a change.
package final class FeedPublisher: ReactorSocket {
  package let socket: Socket
  /// Address with the actual port.
  package let endpoint: Endpoint
  private let instance: String
  private let logger: Logger
  private let unixMs: @Sendable () -> Int64
  private let failoverEndpoints: [Endpoint]
  private var publishing = FeedPublishing()
  private var joins = JoinQueue()
  private var joinTokens = TokenBucket(perSecond: Limits.joinsPerSecondMax)
  /// The snapshot of the current list, shared by all joins. Nil until the first join.
  private var joinFrame: SharedFrame?
  private let unread: SendBufferLimit
  private var malformed = MalformedFrames("feed")
  private let connections = OpenConnections()
  private let servedJoins = Metric.feedJoins.counter()
  private let droppedJoins = Metric.feedDropped.counter()

  /// Creates the publisher, and binds its socket.
  ///
  /// - Parameters:
  ///   - instance: Name of this process for its subscribers.
  ///   - failoverEndpoints: Feeds that subscribers connect to when this feed ends, at most
  ///     `Limits.failoverEndpointsMax`.
  ///   - curve: Keys of the link. Nil disables encryption.
  ///   - unreadBytesMax: Maximum bytes of unread frames, for all subscribers together.
  ///   - unixMs: The wall clock, for people who read frames.
  package init(
    _ context: Reactor.Context, bind: Endpoint, instance: String, failoverEndpoints: [Endpoint] = [],
    curve: CurveServer? = nil, unreadBytesMax: Int = Limits.feedUnreadBytesMax, logger: Logger,
    unixMs: @escaping @Sendable () -> Int64
  ) throws(LinkError) {
    socket = try context.socket(.xpub, frameBytesMax: Limits.subscriptionBytesMax)
    try socket.set(ZMQOption.xpubManual, 1)
    try socket.set(ZMQOption.sendHighWater, Int32(Limits.feedFramesQueuedMax))
    endpoint = try context.bind(socket, bind, as: .feed, curve: curve, connections: connections, logger: logger)
    unread = SendBufferLimit(unreadBytesMax, at: socket, .feed, logger: logger)
    self.instance = instance
    self.failoverEndpoints = Array(failoverEndpoints.prefix(Limits.failoverEndpointsMax))
    self.logger = logger
    self.unixMs = unixMs
  }

  /// Counter of the frames that subscribers have not read. Any thread may use it.
  var memory: FrameMemory { unread.memory }

  /// Number of subscribers' connections, including those in a handshake. Reactor's thread only.
  package var subscribers: Int { connections.count }

  /// Publishes a complete list: after a start, after a gap, or for another epoch.
  package func replace(_ state: FeedState, nowMs: Int64) {
    joinFrame = nil
    publish(publishing.replace(state, nowMs: nowMs))
  }

  /// Publishes a change and the list after it.
  ///
  /// - Parameter minAfterSeq: Lowest sequence number from which the feed can compute a delta. A query with a lower one
  ///   gets the whole list.
  package func change(_ delta: FeedDelta, to state: FeedState, minAfterSeq: UInt64) {
    joinFrame = nil
    publish(publishing.change(delta, to: state, minAfterSeq: minAfterSeq))
  }

  /// Sets the staleness: true while ingest is silent. The publisher begins stale.
  package func set(isStale: Bool, nowMs: Int64) {
    joinFrame = nil
    publish(publishing.set(isStale: isStale, nowMs: nowMs))
  }

  package func receive(_ frames: [[UInt8]], nowMs: Int64) {
    // Byte 1 before a topic begins a subscription. Byte 0 ends the last subscription to the topic.
    guard frames.count == 1, let first = frames[0].first, first <= 1 else {
      return refuse("not a subscription", nowMs: nowMs)
    }
    guard let topic = Topic.join(in: frames[0].dropFirst()) else {
      if first == 1, Topic.isJoin(frames[0].dropFirst()) {
        return refuse("a join topic without a valid nonce", nowMs: nowMs)
      }
      return share(frames[0].dropFirst(), isWanted: first == 1)
    }
    set(topic, isWanted: first == 1)
    if first == 0 { return joins.remove(topic) }
    if !joins.add(topic) { droppedJoins.increment() }
  }

  /// Sets a peer's subscriptions to the shared topics that begin with a prefix. A subscription to the prefix itself
  /// would also bring the peer the joins of other subscribers.
  private func share(_ prefix: ArraySlice<UInt8>, isWanted: Bool) {
    for topic in Topic.shared where topic.utf8.starts(with: prefix) {
      // Another subscription of the peer may still need a topic under a cancelled prefix. For this reason only a
      // cancelled whole topic ends here. The peer's libzmq drops frames that the peer no longer wants.
      if isWanted || topic.utf8.count == prefix.count { set(Array(topic.utf8), isWanted: isWanted) }
    }
  }

  /// Sets a subscription of the peer that sent the last message. On failure the peer does not get the topic.
  private func set(_ topic: [UInt8], isWanted: Bool) {
    let text = String(decoding: topic, as: UTF8.self)
    if isWanted { try? socket.subscribe(text) } else { try? socket.unsubscribe(text) }
  }

  package func tick(nowMs: Int64) -> Int64 {
    let unreadMs = unread.tick(nowMs: nowMs)
    serveJoins(nowMs: nowMs)
    publish(publishing.tick(nowMs: nowMs))
    guard let dueMs = publishing.nextMs else { return min(unreadMs, nowMs + Limits.feedHeartbeatMs) }
    return min(unreadMs, dueMs, joins.count == 0 ? .max : nowMs + Limits.joinTickMs)
  }

  package func shutDown() {
    guard publishing.state != nil else { return }
    publish(Topic.heartbeat, .bye(reason: "feed shutting down", failoverEndpoints: failoverEndpoints))
  }

  private func refuse(_ reason: String, nowMs: Int64) {
    guard malformed.add(nowMs: nowMs) else { return }
    malformed.log(reason, to: logger)
  }

  private func serveJoins(nowMs: Int64) {
    guard joins.count > 0, publishing.state != nil, unread.isWithinLimit else { return }
    let topics = joins.dequeue(joinTokens.consume(joins.count, nowMs: nowMs))
    if topics.isEmpty { return }
    let frame = joinFrame ?? SharedFrame(frame(.snapshot(.join)), in: unread.memory)
    joinFrame = frame
    for topic in topics { socket.send([topic], frame) }
    servedJoins.increment(by: topics.count)
  }

  private func publish(_ frames: [FeedPublishing.Frame]) {
    for frame in frames {
      switch frame {
      case .snapshot(let isPeriodic):
        // Skip snapshots while unread frames use too much memory. The next snapshot follows soon.
        if unread.isWithinLimit { publish(Topic.snapshot, .snapshot(isPeriodic ? .periodic : .change)) }
      case .delta(let delta): publish(Topic.delta, .delta(delta))
      case .heartbeat: publish(Topic.heartbeat, .heartbeat(minAfterSeq: publishing.minAfterSeq))
      }
    }
  }

  private func publish(_ topic: String, _ body: FeedCodec.Body) {
    socket.send([Array(topic.utf8)], SharedFrame(frame(body), in: unread.memory))
  }

  private func frame(_ body: FeedCodec.Body) -> [UInt8] {
    guard let state = publishing.state else { return [] }
    return FeedCodec.feed(
      body, state, hash: publishing.hash, isStale: publishing.isStale, instance: instance, unixMs: unixMs())
  }
}
