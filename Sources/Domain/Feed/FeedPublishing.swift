/// A feed's rules for publishing: which frames to send to all subscribers, and when.
///
/// A pure state machine without sockets or clock. A shell calls a method and publishes the returned frames, in their
/// order, with the list of that moment. The shell is `FeedPublisher` in production, and `Simulation` in the tests.
/// Times are milliseconds of a monotonic clock.
package struct FeedPublishing: Sendable {
  /// A frame for all subscribers.
  package enum Frame: Sendable, Equatable {
    /// The whole list. `isPeriodic` is true if the list has not changed since the last snapshot, and only the interval
    /// has passed.
    case snapshot(isPeriodic: Bool)
    case delta(FeedDelta)
    case heartbeat
  }

  /// The current list. Nil before the first list. Until then, the feed publishes nothing.
  package private(set) var state: FeedState?
  /// Hash of `state`. 0 without a list.
  package private(set) var hash: UInt64 = 0
  /// Lowest sequence number from which the feed still has all changes. A subscriber below it gets the whole list.
  package private(set) var minAfterSeq: UInt64 = 0
  /// True if the list may be behind ingest's list.
  package private(set) var isStale = true
  private var snapshotMs: Int64 = 0
  private var snapshotSeq: UInt64 = 0
  private var heartbeatMs: Int64 = 0

  package init() {}

  /// Replaces the list with a whole one, from ingest or from the snapshot file. Returns a snapshot and a heartbeat.
  package mutating func replace(_ state: FeedState, nowMs: Int64) -> [Frame] {
    set(state, minAfterSeq: state.seq)
    return announce(nowMs: nowMs)
  }

  /// Records a changed list. Returns the delta, to publish immediately. `tick` returns the next snapshot.
  package mutating func change(_ delta: FeedDelta, to state: FeedState, minAfterSeq: UInt64) -> [Frame] {
    set(state, minAfterSeq: minAfterSeq)
    return [.delta(delta)]
  }

  /// Sets the staleness of the list. Returns a snapshot and a heartbeat, or nothing without a list.
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

  /// Time of the next `tick`. Nil without a list.
  package var nextMs: Int64? {
    guard let state else { return nil }
    let intervalMs = state.seq == snapshotSeq ? Limits.snapshotIntervalMaxMs : Limits.snapshotIntervalMinMs
    return min(heartbeatMs + Limits.feedHeartbeatMs, snapshotMs + intervalMs)
  }

  private mutating func set(_ state: FeedState, minAfterSeq: UInt64) {
    self.state = state
    self.minAfterSeq = minAfterSeq
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
