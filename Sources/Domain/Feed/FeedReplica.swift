/// A subscriber's copy of the list, with the rules that detect an incorrect copy. The rules are the normative algorithm
/// of the feed's protocol, without sockets or clock.
package struct FeedReplica: Sendable {
  /// A frame of the feed.
  package enum Frame: Sendable, Equatable {
    /// - Parameter isStale: True if ingest has been silent towards the feed for some time.
    case snapshot(FeedState, hash: UInt64, isStale: Bool = false)
    case delta(FeedDelta, epoch: Epoch, hash: UInt64)
    case heartbeat(epoch: Epoch, seq: UInt64, hash: UInt64, isStale: Bool = false)
    /// - Parameters:
    ///   - failoverEndpoints: Addresses of other feeds, in the order in which to try them.
    ///   - retryAfterMs: Expected downtime of the feed, in milliseconds. 0 if it is unknown.
    case bye(reason: String, failoverEndpoints: [String] = [], retryAfterMs: Int64 = 0)
    /// A frame of a later minor version, which shows that the feed is alive and is otherwise ignored.
    case unknown
  }

  /// Effect of a frame on the copy.
  package enum Effect: Sendable, Equatable {
    /// The list was replaced.
    case replaced
    /// The list has changed. The delta has only the changes that are new to the copy.
    case changed(FeedDelta)
    /// The feed's list has become stale (true) or fresh again (false). A stale list may be behind the store.
    case staleness(Bool)
    /// The frame brought nothing new.
    case unchanged
    /// The list can no longer be trusted. Ask for a snapshot.
    case resync(DesyncReason)
  }

  /// Copy of the list. Nil before the first snapshot.
  package private(set) var state: FeedState?
  /// True if the copy is the feed's latest list, as far as the received frames show.
  package private(set) var isLive = false
  /// True if ingest has been silent towards the feed for some time. The copy equals the feed's list, which may be
  /// behind the store.
  package private(set) var isFeedStale = false
  /// Time of the latest frame, or of the feed's announced return if that is later.
  private var lastReceivedMs: Int64
  /// Number of consecutive heartbeats with a lower sequence number than the list's.
  private var laggingHeartbeats = 0

  /// - Parameter nowMs: Milliseconds of a monotonic clock, as in all methods.
  package init(nowMs: Int64) { lastReceivedMs = nowMs }

  /// Restarts the liveness timeout after a reconnect.
  package mutating func reconnected(nowMs: Int64) { lastReceivedMs = nowMs }

  /// Processes a frame, and returns its effect.
  package mutating func receive(_ frame: Frame, nowMs: Int64) -> Effect {
    lastReceivedMs = max(lastReceivedMs, nowMs)
    switch frame {
    case .snapshot(let snapshot, let hash, let isStale): return replace(snapshot, hash: hash, isStale: isStale)
    case .delta(let delta, let epoch, let hash):
      guard isLive, var state else { return .unchanged }
      guard epoch == state.epoch else { return desync(.epochChanged) }
      guard delta.seq > state.seq else { return .unchanged }
      guard delta.prevSeq <= state.seq else {
        return desync(.gap(state.seq + 1...delta.prevSeq))
      }
      let new = state.apply(delta)
      guard state.hash == hash else { return desync(.hashMismatch) }
      self.state = state
      return .changed(new)
    case .heartbeat(let epoch, let seq, let hash, let isStale):
      guard isLive, let state else { return .unchanged }
      guard epoch == state.epoch else { return desync(.epochChanged) }
      guard seq <= state.seq else { return desync(.gap(state.seq + 1...seq)) }
      guard seq < state.seq || hash == state.hash else { return desync(.hashMismatch) }
      // After a failover the new feed may be a moment behind. A feed that stays behind has a different list.
      laggingHeartbeats = seq < state.seq ? laggingHeartbeats + 1 : 0
      guard laggingHeartbeats < Limits.laggingHeartbeatsMax else { return desync(.regressed(seq)) }
      guard isStale != isFeedStale else { return .unchanged }
      isFeedStale = isStale
      return .staleness(isStale)
    case .unknown: return .unchanged
    case .bye(let reason, _, let retryAfterMs):
      // The announced downtime must not count as silence.
      lastReceivedMs = nowMs + min(max(0, retryAfterMs), Limits.byePauseMaxMs)
      return desync(.goodbye(reason))
    }
  }

  /// Returns true if the feed has been silent for more than three heartbeat intervals. The copy is then no longer live,
  /// and the caller reconnects.
  package mutating func hasTimedOut(nowMs: Int64) -> Bool {
    guard nowMs - lastReceivedMs > 3 * Limits.feedHeartbeatMs else { return false }
    isLive = false
    return true
  }

  private mutating func replace(_ snapshot: FeedState, hash: UInt64, isStale: Bool) -> Effect {
    guard snapshot.hash == hash else { return desync(.hashMismatch) }
    if isLive, let state, state.epoch == snapshot.epoch, snapshot.seq <= state.seq { return .unchanged }
    state = snapshot
    isLive = true
    laggingHeartbeats = 0
    isFeedStale = isStale
    return .replaced
  }

  private mutating func desync(_ reason: DesyncReason) -> Effect {
    isLive = false
    return .resync(reason)
  }
}
