/// Rules of a subscriber: which events to report, when to join again, and when to leave a silent feed. `FeedReplica`
/// applies the frames to the list, and detects missing frames.
///
/// A pure state machine without sockets or clock. A shell decodes the frames, calls a method, and performs the effects
/// in their order: `FeedSubscriber` in production, `Simulation` in the tests. Times are milliseconds of a monotonic
/// clock.
package struct FeedSubscription: Sendable {
  /// An event for the subscriber's program.
  package enum Event: Sendable, Equatable {
    /// The whole list after a join or a resync. `isStale` is true if the list may be behind the store.
    case list(FeedState, isStale: Bool)
    /// Changes, and the list after them.
    case changes(FeedDelta, FeedState)
    /// The feed's list has become stale (true) or fresh again (false). A stale list may be behind the store.
    case stale(Bool)
    /// The list can no longer be trusted. The subscriber requests a new one.
    case desynced(DesyncReason)
  }

  /// An action for the shell.
  package enum Effect: Sendable, Equatable {
    /// Report an event to the program.
    case report(Event)
    /// Join again. The feed replies with a snapshot.
    case join
    /// Open a new connection, to the next feed if there are several. The new connection repeats the subscription to the
    /// join topic, which is a join, unless `failOver` has removed that topic.
    case reconnect
    /// Connect to another feed, because the current feed shuts down, and call `reconnected`. If no other feed is known,
    /// unsubscribe the join topic. With that topic, the connection would join as soon as the feed returns.
    ///
    /// The current feed MUST NOT get a join within `retryAfterMs`.
    case failOver(endpoints: [String], retryAfterMs: Int64)
  }

  /// The subscriber's copy of the list.
  package private(set) var replica: FeedReplica
  private var backoff: JoinBackoff

  /// - Parameter nowMs: Time of the first connection. That connection joins without a `join` effect.
  package init(nowMs: Int64) {
    replica = FeedReplica(nowMs: nowMs)
    backoff = JoinBackoff(joinedMs: nowMs)
  }

  /// Processes a frame, and returns the effects.
  ///
  /// - Parameter random: Source of the pause before a join. The caller supplies it, so that a simulation is repeatable.
  package mutating func receive(
    _ frame: FeedReplica.Frame, nowMs: Int64, using random: inout some RandomNumberGenerator
  ) -> [Effect] {
    var effects: [Effect] = []
    switch replica.receive(frame, nowMs: nowMs) {
    case .replaced:
      backoff.listReceived()
      if let state = replica.state { effects.append(.report(.list(state, isStale: replica.isFeedStale))) }
    case .changed(let delta): if let state = replica.state { effects.append(.report(.changes(delta, state))) }
    case .staleness(let isStale): effects.append(.report(.stale(isStale)))
    case .resync(let reason):
      effects.append(.report(.desynced(reason)))
      backoff.desynced(nowMs: nowMs, using: &random)
    case .unchanged: break
    }
    if case .bye(_, let failoverEndpoints, let retryAfterMs) = frame {
      let pauseMs = min(max(0, retryAfterMs), Limits.byePauseMaxMs)
      backoff.pause(untilMs: nowMs + pauseMs)
      effects.append(.failOver(endpoints: failoverEndpoints, retryAfterMs: pauseMs))
    }
    return effects
  }

  /// Restarts the timeouts after a reconnect, or at the time of the next one.
  package mutating func reconnected(nowMs: Int64) {
    replica.reconnected(nowMs: nowMs)
    backoff.joined(nowMs: nowMs)
  }

  /// Returns the effects that are due: a reconnect after silence, a join.
  package mutating func tick(nowMs: Int64) -> [Effect] {
    var effects: [Effect] = []
    let wasLive = replica.isLive
    if replica.hasTimedOut(nowMs: nowMs) {
      if wasLive { effects.append(.report(.desynced(.timedOut))) }
      effects.append(.reconnect)
      reconnected(nowMs: nowMs)
    }
    if !replica.isLive, nowMs >= backoff.dueMs {
      effects.append(.join)
      backoff.joined(nowMs: nowMs)
    }
    return effects
  }

  /// Returns the time of the next call of `tick`.
  package func nextMs(nowMs: Int64) -> Int64 {
    let heartbeatMs = nowMs + Limits.feedHeartbeatMs
    return replica.isLive ? heartbeatMs : min(backoff.dueMs, heartbeatMs)
  }
}
