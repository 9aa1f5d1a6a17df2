/// Quarantine of peers that send malformed frames. After `Limits.malformedFramesMax` such frames within
/// `Limits.quarantineMs`, the caller ignores all frames of the peer for the same time. Times are milliseconds of a
/// monotonic clock.
package struct PeerQuarantine: Sendable {
  private struct Peer: Sendable {
    var sinceMs: Int64
    var frames = 0
  }

  private var peers: [[UInt8]: Peer] = [:]

  package init() {}

  /// Number of remembered peers, at most `Limits.quarantinePeersMax`.
  package var peerCount: Int { peers.count }

  /// Returns true while the caller must ignore all frames of the peer.
  package func isQuarantined(_ peer: [UInt8], nowMs: Int64) -> Bool {
    guard let known = peers[peer] else { return false }
    return known.frames >= Limits.malformedFramesMax && nowMs - known.sinceMs < Limits.quarantineMs
  }

  /// Counts a malformed frame of the peer.
  ///
  /// - Returns: true if the quarantine begins with this frame.
  package mutating func recordMalformed(_ peer: [UInt8], nowMs: Int64) -> Bool {
    var known = peers[peer] ?? Peer(sinceMs: nowMs)
    if nowMs - known.sinceMs >= Limits.quarantineMs { known = Peer(sinceMs: nowMs) }
    guard known.frames < Limits.malformedFramesMax else { return false }
    known.frames += 1
    let beginsQuarantine = known.frames == Limits.malformedFramesMax
    if beginsQuarantine { known.sinceMs = nowMs }
    if peers[peer] == nil, peers.count >= Limits.quarantinePeersMax {
      peers = peers.filter { nowMs - $0.value.sinceMs < Limits.quarantineMs }
      // More peers than the limit mean one peer that reconnects for each frame. Its reconnections slow it down, so
      // forget all counts.
      if peers.count >= Limits.quarantinePeersMax { peers.removeAll(keepingCapacity: true) }
    }
    peers[peer] = known
    return beginsQuarantine
  }
}
