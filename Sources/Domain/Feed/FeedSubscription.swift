/// A subscriber's rules: what to report of each frame, when to join again, and when to leave a silent feed.
/// `FeedReplica` finds what a frame makes of the list, and whether one is missing.
///
/// A pure state machine without sockets or clock. A shell decodes what comes, calls a method, and performs the effects
/// in their order: `FeedSubscriber` in production, `Simulation` in the tests. Times are milliseconds of a clock that
/// never goes back.
package struct FeedSubscription: Sendable {
  /// News for the subscriber's program.
  package enum Event: Sendable, Equatable {
    /// The whole list, after a join or a loss, and whether the feed is stale.
    case list(FeedState, isStale: Bool)
    /// Changes, and the list after them.
    case changes(FeedDelta, FeedState)
    /// The feed has lost ingest: its list may be behind what is stored; or it has it back.
    case stale(Bool)
    /// The list is no longer known to be right; a new one is asked for.
    case desynced(DesyncReason)
  }

  /// An action for the shell.
  package enum Effect: Sendable, Equatable {
    /// News for the program.
    case report(Event)
    /// A new join: the feed answers it with a snapshot.
    case join
    /// A new connection, to the next feed if there are several. The connection joins by itself.
    case reconnect
    /// The feed ends. If the shell connects to one of the others, it calls `reconnected`.
    case failOver(alternates: [String])
  }

  /// The copy of the list.
  package private(set) var replica: FeedReplica
  private var schedule: JoinBackoff

  /// - Parameter nowMs: the time of the first connection, which joins by itself.
  package init(nowMs: Int64) {
    replica = FeedReplica(nowMs: nowMs)
    schedule = JoinBackoff(joinedMs: nowMs)
  }

  /// Takes a frame.
  ///
  /// - Parameter random: for the pause before a join; the caller's, so that a simulation can be repeated.
  package mutating func receive(
    _ frame: FeedReplica.Frame, nowMs: Int64, using random: inout some RandomNumberGenerator
  ) -> [Effect] {
    var effects: [Effect] = []
    switch replica.receive(frame, nowMs: nowMs) {
    case .replaced:
      schedule.listReceived()
      if let state = replica.state { effects.append(.report(.list(state, isStale: replica.isFeedStale))) }
    case .changed(let delta): if let state = replica.state { effects.append(.report(.changes(delta, state))) }
    case .staleness(let isStale): effects.append(.report(.stale(isStale)))
    case .resync(let loss):
      effects.append(.report(.desynced(loss)))
      schedule.desynced(nowMs: nowMs, using: &random)
    case .unchanged: break
    }
    if case .bye(_, let alternates, let retryAfterMs) = frame {
      schedule.pause(untilMs: nowMs + min(retryAfterMs, Limits.byePauseMaxMs))
      effects.append(.failOver(alternates: alternates))
    }
    return effects
  }

  /// The connection is made anew.
  package mutating func reconnected(nowMs: Int64) {
    replica.reconnected(nowMs: nowMs)
    schedule.joined(nowMs: nowMs)
  }

  /// Does what is due: a reconnection after silence, a join.
  package mutating func tick(nowMs: Int64) -> [Effect] {
    var effects: [Effect] = []
    let wasLive = replica.isLive
    if replica.isStale(nowMs: nowMs) {
      if wasLive { effects.append(.report(.desynced(.timedOut))) }
      effects.append(.reconnect)
      reconnected(nowMs: nowMs)
    }
    if !replica.isLive, nowMs >= schedule.dueMs {
      effects.append(.join)
      schedule.joined(nowMs: nowMs)
    }
    return effects
  }

  /// The time of the next call of `tick`.
  package func nextMs(nowMs: Int64) -> Int64 {
    let heartbeatMs = nowMs + Limits.feedHeartbeatMs
    return replica.isLive ? heartbeatMs : min(schedule.dueMs, heartbeatMs)
  }
}
