/// A feed's rules for publishing: which frames go to all subscribers, and when.
///
/// A pure state machine without sockets or clock. A shell calls a method and publishes the returned frames, in their
/// order, with the list as it is then: `FeedPublisher` in production, `Simulation` in the tests. Times are milliseconds
/// of a clock that never goes back.
package struct FeedPublishing: Sendable {
  /// A frame for all subscribers.
  package enum Frame: Sendable, Equatable {
    /// The whole list, for one of two reasons: it has changed, or nothing has changed for a while.
    case snapshot(isPeriodic: Bool)
    case delta(FeedDelta)
    case heartbeat
  }

  /// The list; nil before the first one. Nothing is published until then.
  package private(set) var state: FeedState?
  /// The hash of `state`; 0 without one.
  package private(set) var hash: UInt64 = 0
  /// The lowest sequence number from which the feed still has all changes. Below it, it sends the whole list.
  package private(set) var ringFrom: UInt64 = 0
  /// True if ingest is silent.
  package private(set) var isStale = true
  private var snapshotMs: Int64 = 0
  private var snapshotSeq: UInt64 = 0
  private var heartbeatMs: Int64 = 0

  package init() {}

  /// Takes a whole list: of ingest, or kept from before.
  package mutating func replace(_ state: FeedState, nowMs: Int64) -> [Frame] {
    set(state, ringFrom: state.seq)
    return announce(nowMs: nowMs)
  }

  /// Takes a change of the list, and the list after it. A delta goes out at once; the snapshot follows when it is due.
  package mutating func change(_ delta: FeedDelta, to state: FeedState, ringFrom: UInt64) -> [Frame] {
    set(state, ringFrom: ringFrom)
    return [.delta(delta)]
  }

  /// Takes the news that the list has become stale, or fresh again.
  package mutating func set(isStale: Bool, nowMs: Int64) -> [Frame] {
    self.isStale = isStale
    return announce(nowMs: nowMs)
  }

  /// Returns the frames that are due. Call this at `nextMs` or earlier.
  package mutating func tick(nowMs: Int64) -> [Frame] {
    guard let state else { return [] }
    var frames: [Frame] = []
    if nowMs >= snapshotMs + Limits.snapshotIntervalMaxMs {
      frames.append(snapshot(isPeriodic: state.seq == snapshotSeq, nowMs: nowMs))
    } else if state.seq != snapshotSeq, nowMs >= snapshotMs + Limits.snapshotIntervalMinMs {
      frames.append(snapshot(isPeriodic: false, nowMs: nowMs))
    }
    if nowMs >= heartbeatMs + Limits.feedHeartbeatMs { frames.append(heartbeat(nowMs: nowMs)) }
    return frames
  }

  /// The time of the next `tick`; nil without a list.
  package var nextMs: Int64? {
    guard let state else { return nil }
    let intervalMs = state.seq == snapshotSeq ? Limits.snapshotIntervalMaxMs : Limits.snapshotIntervalMinMs
    return min(heartbeatMs + Limits.feedHeartbeatMs, snapshotMs + intervalMs)
  }

  private mutating func set(_ state: FeedState, ringFrom: UInt64) {
    self.state = state
    self.ringFrom = ringFrom
    hash = state.hash
  }

  /// Returns a snapshot and a heartbeat, or nothing without a list.
  private mutating func announce(nowMs: Int64) -> [Frame] {
    guard state != nil else { return [] }
    return [snapshot(isPeriodic: false, nowMs: nowMs), heartbeat(nowMs: nowMs)]
  }

  private mutating func snapshot(isPeriodic: Bool, nowMs: Int64) -> Frame {
    (snapshotMs, snapshotSeq) = (nowMs, state?.seq ?? 0)
    return .snapshot(isPeriodic: isPeriodic)
  }

  private mutating func heartbeat(nowMs: Int64) -> Frame {
    heartbeatMs = nowMs
    return .heartbeat
  }
}
