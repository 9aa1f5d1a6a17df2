package import Logging
import Metrics
package import OnTheMap
import SwiftProtobuf
import Telemetry

/// The feed's XPUB: deltas as they come, snapshots and heartbeats in their time, and a snapshot for whoever joins.
///
/// Joins, deltas and snapshots travel through one pipe, in order: that is why a join cannot miss a change.
package final class FeedPublisher: Station {
  package let socket: Socket
  /// With the port that was taken.
  package let endpoint: Endpoint
  private let instance: String
  private let logger: Logger
  private let unixMs: @Sendable () -> Int64
  private var state: FeedState?
  private var joins: [[UInt8]] = []
  private var joinTokens = Double(Limits.joinsPerSecondMax)
  private var joinTokensMs: Int64 = 0
  private var joinFrame: (seq: UInt64, epoch: Epoch, bytes: [UInt8])?
  private var snapshotMs: Int64 = 0
  private var snapshotSeq: UInt64 = 0
  private var heartbeatMs: Int64 = 0
  private var malformed = MalformedFrames("feed")
  private let connections = Connections()
  private let answeredJoins = Metric.feedJoins.counter()
  private let droppedJoins = Metric.feedDropped.counter()

  /// - Parameters:
  ///   - instance: names the process to its subscribers.
  ///   - curve: the link's keys; nil for plain text.
  ///   - unixMs: the wall clock, for people who read frames.
  package init(
    _ context: Reactor.Context, bind: Endpoint, instance: String, curve: CurveServer? = nil, logger: Logger,
    unixMs: @escaping @Sendable () -> Int64
  ) throws(LinkError) {
    socket = try context.socket(.xpub, frameBytesMax: Limits.subscriptionBytesMax)
    try socket.set(ZMQOption.xpubVerbose, 1)
    try socket.set(ZMQOption.sendHighWater, Int32(Limits.feedFramesQueuedMax))
    endpoint = try context.bind(socket, bind, as: .feed, curve: curve, connections: connections, logger: logger)
    self.instance = instance
    self.logger = logger
    self.unixMs = unixMs
  }

  /// Connections of subscribers, those that have only begun among them. On the reactor's thread.
  package var subscribers: Int { connections.count }

  /// The list as ingest has it: after a start, a gap, or another history.
  package func replace(_ state: FeedState, nowMs: Int64) {
    self.state = state
    publishSnapshot(.change, nowMs: nowMs)
    publishHeartbeat(nowMs: nowMs)
  }

  /// A change of the list, at most `Limits.changesPerFetchMax` entries, and the list after it.
  package func change(_ change: FeedChange, to state: FeedState) {
    self.state = state
    publish(Topic.delta, .delta(change))
  }

  package func receive(_ frames: [[UInt8]], nowMs: Int64) {
    // 1 and a topic: somebody subscribes; 0 and a topic: the last has gone.
    guard frames.count == 1, let first = frames[0].first, first <= 1 else {
      if malformed.add(nowMs: nowMs) {
        logger.warning("malformed frame at the feed", metadata: ["total": "\(malformed.count)"])
      }
      return
    }
    guard let topic = Topic.join(in: frames[0].dropFirst()) else { return }
    // Whoever gives a topic up must not take the turn of one who still waits.
    if first == 0 { return joins.removeAll { $0 == topic } }
    if joins.count < Limits.joinsWaitingMax { joins.append(topic) } else { droppedJoins.increment() }
  }

  package func turn(nowMs: Int64) -> Int64 {
    guard let state else { return nowMs + Limits.feedHeartbeatMs }
    answerJoins(state, nowMs: nowMs)
    let sinceMs = nowMs - snapshotMs
    if state.seq != snapshotSeq, sinceMs >= Limits.snapshotIntervalMinMs {
      publishSnapshot(.change, nowMs: nowMs)
    } else if sinceMs >= Limits.snapshotIntervalMaxMs {
      publishSnapshot(.periodic, nowMs: nowMs)
    }
    if nowMs - heartbeatMs >= Limits.feedHeartbeatMs { publishHeartbeat(nowMs: nowMs) }
    var nextMs = min(heartbeatMs + Limits.feedHeartbeatMs, snapshotMs + Limits.snapshotIntervalMaxMs)
    if state.seq != snapshotSeq { nextMs = min(nextMs, snapshotMs + Limits.snapshotIntervalMinMs) }
    return joins.isEmpty ? nextMs : min(nextMs, nowMs + 5)
  }

  package func leave() {
    guard state != nil else { return }
    publish(Topic.heartbeat, .bye(reason: "the feed is stopped"))
  }

  private func answerJoins(_ state: FeedState, nowMs: Int64) {
    let rate = Double(Limits.joinsPerSecondMax)
    joinTokens = min(rate, joinTokens + rate * Double(nowMs - joinTokensMs) / 1_000)
    joinTokensMs = nowMs
    guard !joins.isEmpty else { return }
    if joinFrame?.seq != state.seq || joinFrame?.epoch != state.epoch {
      joinFrame = (state.seq, state.epoch, frame(.snapshot(.join)))
    }
    let answered = joins.prefix(Int(joinTokens))
    for topic in answered { socket.send(topic, joinFrame?.bytes ?? []) }
    joinTokens -= Double(answered.count)
    if !answered.isEmpty { answeredJoins.increment(by: answered.count) }
    joins.removeFirst(answered.count)
  }

  private func publishSnapshot(_ reason: Onthemap_Feed_V1_SnapshotReason, nowMs: Int64) {
    guard let state else { return }
    snapshotMs = nowMs
    snapshotSeq = state.seq
    publish(Topic.snapshot, .snapshot(reason))
  }

  private func publishHeartbeat(nowMs: Int64) {
    guard state != nil else { return }
    heartbeatMs = nowMs
    publish(Topic.heartbeat, .heartbeat)
  }

  private func publish(_ topic: String, _ body: EntryFrame.Body) {
    socket.send(Array(topic.utf8), frame(body))
  }

  private func frame(_ body: EntryFrame.Body) -> [UInt8] {
    guard let state else { return [] }
    return EntryFrame.feed(body, state, instance: instance, unixMs: unixMs())
  }
}
