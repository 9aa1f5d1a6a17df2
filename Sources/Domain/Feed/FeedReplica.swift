/// A subscriber's copy of the list, and the rules by which it is right or knows that it is not: the normative
/// algorithm of the feed's protocol, without sockets or clock.
package struct FeedReplica: Sendable {
  /// A frame of the feed.
  package enum Frame: Sendable, Equatable {
    /// - Parameter isStale: the feed has not heard from ingest for some time.
    case snapshot(FeedState, hash: UInt64, isStale: Bool = false)
    case delta(FeedDelta, epoch: Epoch, hash: UInt64)
    case heartbeat(epoch: Epoch, seq: UInt64, hash: UInt64, isStale: Bool = false)
    /// - Parameters:
    ///   - alternates: addresses of other feeds, in the order in which to try them.
    ///   - retryAfterMs: the feed's expected downtime; 0 if unknown.
    case bye(reason: String, alternates: [String] = [], retryAfterMs: Int64 = 0)
    /// Of a later minor version: it shows that the feed lives, and may be ignored.
    case unknown
  }

  /// What a frame did.
  package enum Effect: Sendable, Equatable {
    /// The list was replaced.
    case replaced
    /// The list has changed: what of the delta was new here.
    case changed(FeedDelta)
    /// The feed has lost ingest, or has it back: the list may be behind what is stored, or is so no longer.
    case staleness(Bool)
    /// Nothing new.
    case unchanged
    /// The list can no longer be trusted: ask for a snapshot.
    case resync(DesyncReason)
  }

  /// Nil until the first snapshot.
  package private(set) var state: FeedState?
  /// Whether the list is known to be the feed's latest, as far as frames have come.
  package private(set) var isLive = false
  /// Whether the feed has not heard from ingest for some time: the list is the feed's, and may be behind the store's.
  package private(set) var isFeedStale = false
  private var lastReceivedMs: Int64
  /// Heartbeats in a row that were behind the list.
  private var laggingHeartbeats = 0

  /// - Parameter nowMs: milliseconds of a clock that never goes back, as everywhere here.
  package init(nowMs: Int64) { lastReceivedMs = nowMs }

  /// The connection is made anew: the silence is counted from now.
  package mutating func reconnected(nowMs: Int64) { lastReceivedMs = nowMs }

  /// Takes a frame.
  package mutating func receive(_ frame: Frame, nowMs: Int64) -> Effect {
    lastReceivedMs = nowMs
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
      // Another feed may be a moment behind the one before; one that stays behind has another list.
      laggingHeartbeats = seq < state.seq ? laggingHeartbeats + 1 : 0
      guard laggingHeartbeats < Limits.laggingHeartbeatsMax else { return desync(.regressed(seq)) }
      guard isStale != isFeedStale else { return .unchanged }
      isFeedStale = isStale
      return .staleness(isStale)
    case .unknown: return .unchanged
    case .bye(let reason, _, let retryAfterMs):
      // Its silence until then is no reason to reconnect.
      lastReceivedMs = nowMs + min(max(0, retryAfterMs), Limits.byePauseMaxMs)
      return desync(.goodbye(reason))
    }
  }

  /// Whether the feed has been silent for so long (three heartbeats) that the connection is to be made anew.
  package mutating func isStale(nowMs: Int64) -> Bool {
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

  private mutating func desync(_ loss: DesyncReason) -> Effect {
    isLive = false
    return .resync(loss)
  }
}
