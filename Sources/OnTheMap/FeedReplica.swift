/// A subscriber's copy of the list, and the rules by which it is right or knows that it is not: the normative
/// algorithm of the feed's protocol, without sockets or clock.
package struct FeedReplica: Sendable {
  /// A frame of the feed.
  package enum Frame: Sendable, Equatable {
    case snapshot(FeedState, hash: UInt64)
    case delta(epoch: Epoch, prevSeq: UInt64, seq: UInt64, upsert: [FeedEntry], hash: UInt64)
    case heartbeat(epoch: Epoch, seq: UInt64, hash: UInt64)
    case bye(reason: String)
    /// Of a later minor version: it shows that the feed lives, and may be ignored.
    case later
  }

  /// What a frame did.
  package enum Effect: Sendable, Equatable {
    /// The list was replaced.
    case replaced
    /// These posts are new or changed, by rising `seq`.
    case changed([FeedEntry])
    /// Nothing new.
    case unchanged
    /// The list can no longer be trusted: ask for a snapshot. The reason is for people.
    case resync(String)
  }

  /// Nil until the first snapshot.
  package private(set) var state: FeedState?
  /// Whether the list is known to be the feed's latest, as far as frames have come.
  package private(set) var isLive = false
  private var heardMs: Int64

  /// - Parameter nowMs: milliseconds of a clock that never goes back, as everywhere here.
  package init(nowMs: Int64) { heardMs = nowMs }

  /// The connection is made anew: the silence is counted from now.
  package mutating func reconnected(nowMs: Int64) { heardMs = nowMs }

  /// Takes a frame.
  package mutating func receive(_ frame: Frame, nowMs: Int64) -> Effect {
    heardMs = nowMs
    switch frame {
    case .snapshot(let snapshot, let hash): return replace(snapshot, hash: hash)
    case .delta(let epoch, let prevSeq, let seq, let upsert, let hash):
      guard isLive, let state else { return .unchanged }
      guard epoch == state.epoch else { return lose("the feed tells another history") }
      guard seq > state.seq else { return .unchanged }
      guard prevSeq <= state.seq else { return lose("changes \(state.seq + 1) to \(prevSeq) are missing") }
      let new = upsert.filter { $0.seq > state.seq }
      self.state?.apply(new)
      guard self.state?.seq == seq, self.state?.hash == hash else { return lose("the list's hash is not the feed's") }
      return .changed(new)
    case .heartbeat(let epoch, let seq, let hash):
      guard isLive, let state else { return .unchanged }
      guard epoch == state.epoch else { return lose("the feed tells another history") }
      guard seq <= state.seq else { return lose("changes \(state.seq + 1) to \(seq) are missing") }
      guard seq < state.seq || hash == state.hash else { return lose("the list's hash is not the feed's") }
      return .unchanged
    case .later: return .unchanged
    case .bye(let reason): return lose("the feed ends: \(reason)")
    }
  }

  /// Whether the feed has been silent for so long (three heartbeats) that the connection is to be made anew.
  package mutating func isStale(nowMs: Int64) -> Bool {
    guard nowMs - heardMs > 3 * Limits.feedHeartbeatMs else { return false }
    isLive = false
    return true
  }

  private mutating func replace(_ snapshot: FeedState, hash: UInt64) -> Effect {
    guard snapshot.hash == hash else { return lose("a snapshot's hash does not match its list") }
    if isLive, let state, state.epoch == snapshot.epoch, snapshot.seq <= state.seq { return .unchanged }
    state = snapshot
    isLive = true
    return .replaced
  }

  private mutating func lose(_ reason: String) -> Effect {
    isLive = false
    return .resync(reason)
  }
}
