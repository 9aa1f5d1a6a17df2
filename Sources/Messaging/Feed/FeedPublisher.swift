package import Domain
package import Logging
import Metrics
import SwiftProtobuf
import Telemetry

/// The feed's XPUB, driven by `FeedPublishing`: deltas, snapshots and heartbeats for all, and a snapshot for each
/// subscriber that joins.
///
/// Joins, deltas and snapshots travel through one pipe, in order: that is why a join cannot miss a change.
package final class FeedPublisher: ReactorSocket {
  package let socket: Socket
  /// With the port that was taken.
  package let endpoint: Endpoint
  private let instance: String
  private let logger: Logger
  private let unixMs: @Sendable () -> Int64
  private let alternates: [Endpoint]
  private var publishing = FeedPublishing()
  private var joins = JoinQueue()
  private var joinTokens = TokenBucket(perSecond: Limits.joinsPerSecondMax)
  /// The snapshot of the current list, shared by all joins; nil until the first join.
  private var joinFrame: SharedFrame?
  private let unread: SendBufferLimit
  private var malformed = MalformedFrames("feed")
  private let connections = OpenConnections()
  private let answeredJoins = Metric.feedJoins.counter()
  private let droppedJoins = Metric.feedDropped.counter()

  /// - Parameters:
  ///   - instance: names the process to its subscribers.
  ///   - alternates: where subscribers are sent when this feed ends, `Limits.alternatesMax` at most.
  ///   - curve: the link's keys; nil for plain text.
  ///   - unreadBytesMax: bytes of frames that subscribers may leave unread, all together.
  ///   - unixMs: the wall clock, for people who read frames.
  package init(
    _ context: Reactor.Context, bind: Endpoint, instance: String, alternates: [Endpoint] = [],
    curve: CurveServer? = nil, unreadBytesMax: Int = Limits.feedUnreadBytesMax, logger: Logger,
    unixMs: @escaping @Sendable () -> Int64
  ) throws(LinkError) {
    socket = try context.socket(.xpub, frameBytesMax: Limits.subscriptionBytesMax)
    try socket.set(ZMQOption.xpubManual, 1)
    try socket.set(ZMQOption.sendHighWater, Int32(Limits.feedFramesQueuedMax))
    endpoint = try context.bind(socket, bind, as: .feed, curve: curve, connections: connections, logger: logger)
    unread = SendBufferLimit(unreadBytesMax, at: socket, .feed, logger: logger)
    self.instance = instance
    self.alternates = Array(alternates.prefix(Limits.alternatesMax))
    self.logger = logger
    self.unixMs = unixMs
  }

  /// Counts the frames that subscribers have not read. Any thread.
  var memory: FrameMemory { unread.memory }

  /// Connections of subscribers, those that have only begun among them. On the reactor's thread.
  package var subscribers: Int { connections.count }

  /// The list as ingest has it, or as it was kept: after a start, a gap, or another history.
  package func replace(_ state: FeedState, nowMs: Int64) {
    joinFrame = nil
    publish(publishing.replace(state, nowMs: nowMs))
  }

  /// A change of the list, and the list after it.
  ///
  /// - Parameter ringFrom: a question for what has changed since an earlier number is answered with the whole list.
  package func change(_ delta: FeedDelta, to state: FeedState, ringFrom: UInt64) {
    joinFrame = nil
    publish(publishing.change(delta, to: state, ringFrom: ringFrom))
  }

  /// Whether ingest is silent. It begins stale.
  package func set(isStale: Bool, nowMs: Int64) {
    joinFrame = nil
    publish(publishing.set(isStale: isStale, nowMs: nowMs))
  }

  package func receive(_ frames: [[UInt8]], nowMs: Int64) {
    // 1 and a topic: somebody subscribes; 0 and a topic: the last has gone.
    guard frames.count == 1, let first = frames[0].first, first <= 1 else { return reject(nowMs: nowMs) }
    guard let topic = Topic.join(in: frames[0].dropFirst()) else {
      if first == 1, Topic.isJoin(frames[0].dropFirst()) { return reject(nowMs: nowMs) }
      return share(frames[0].dropFirst(), isWanted: first == 1)
    }
    set(topic, isWanted: first == 1)
    if first == 0 { return joins.remove(topic) }
    if !joins.add(topic) { droppedJoins.increment() }
  }

  /// Subscribes a peer to the shared topics with a prefix: libzmq would give it all other subscribers' joins too.
  private func share(_ beginning: ArraySlice<UInt8>, isWanted: Bool) {
    for topic in Topic.shared where topic.utf8.starts(with: beginning) {
      // Another subscription of the peer may cover a prefix that it gives up, so only a whole topic ends here. The
      // peer's libzmq drops the rest.
      if isWanted || topic.utf8.count == beginning.count { set(Array(topic.utf8), isWanted: isWanted) }
    }
  }

  /// Sets a subscription of the peer whose message was received last. On failure the peer does not get the topic.
  private func set(_ topic: [UInt8], isWanted: Bool) {
    let text = String(decoding: topic, as: UTF8.self)
    if isWanted { try? socket.subscribe(text) } else { try? socket.unsubscribe(text) }
  }

  package func tick(nowMs: Int64) -> Int64 {
    let unreadMs = unread.tick(nowMs: nowMs)
    answerJoins(nowMs: nowMs)
    publish(publishing.tick(nowMs: nowMs))
    guard let dueMs = publishing.nextMs else { return min(unreadMs, nowMs + Limits.feedHeartbeatMs) }
    return min(unreadMs, dueMs, joins.count == 0 ? .max : nowMs + Limits.joinTickMs)
  }

  package func shutDown() {
    guard publishing.state != nil else { return }
    publish(Topic.heartbeat, .bye(reason: "the feed is stopped", alternates: alternates))
  }

  private func reject(nowMs: Int64) {
    guard malformed.add(nowMs: nowMs) else { return }
    logger.warning("malformed frame at the feed", metadata: ["total": "\(malformed.count)"])
  }

  private func answerJoins(nowMs: Int64) {
    guard joins.count > 0, publishing.state != nil, unread.isWithinLimit else { return }
    let answered = joins.dequeue(joinTokens.consume(joins.count, nowMs: nowMs))
    if answered.isEmpty { return }
    let frame = joinFrame ?? SharedFrame(frame(.snapshot(.join)), in: unread.memory)
    joinFrame = frame
    for topic in answered { socket.send([topic], frame) }
    answeredJoins.increment(by: answered.count)
  }

  private func publish(_ frames: [FeedPublishing.Frame]) {
    for frame in frames {
      switch frame {
      case .snapshot(let isPeriodic):
        // When unread frames use too much memory, skip snapshots: the next one follows soon.
        if unread.isWithinLimit { publish(Topic.snapshot, .snapshot(isPeriodic ? .periodic : .change)) }
      case .delta(let delta): publish(Topic.delta, .delta(delta))
      case .heartbeat: publish(Topic.heartbeat, .heartbeat(ringFrom: publishing.ringFrom))
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
