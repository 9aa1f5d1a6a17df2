/// Peers that send what nobody can read: after `Limits.malformedFramesMax` such frames within `Limits.quarantineMs` a
/// peer is not listened to for as long. Times are milliseconds of a clock that never goes back.
package struct PeerQuarantine: Sendable {
  private struct Peer: Sendable {
    var sinceMs: Int64
    var frames = 0
  }

  private var peers: [[UInt8]: Peer] = [:]

  package init() {}

  /// Peers of which something is remembered, `Limits.quarantinePeersMax` at most.
  package var peerCount: Int { peers.count }

  /// Whether nothing that the peer sends is to be looked at.
  package func isQuarantined(_ peer: [UInt8], nowMs: Int64) -> Bool {
    guard let known = peers[peer] else { return false }
    return known.frames >= Limits.malformedFramesMax && nowMs - known.sinceMs < Limits.quarantineMs
  }

  /// A frame of the peer could not be read.
  ///
  /// - Returns: true when that was one too many: from now on the peer is shut out.
  package mutating func recordMalformed(_ peer: [UInt8], nowMs: Int64) -> Bool {
    var known = peers[peer] ?? Peer(sinceMs: nowMs)
    if nowMs - known.sinceMs >= Limits.quarantineMs { known = Peer(sinceMs: nowMs) }
    guard known.frames < Limits.malformedFramesMax else { return false }
    known.frames += 1
    let isOneTooMany = known.frames == Limits.malformedFramesMax
    if isOneTooMany { known.sinceMs = nowMs }
    if peers[peer] == nil, peers.count >= Limits.quarantinePeersMax {
      peers = peers.filter { nowMs - $0.value.sinceMs < Limits.quarantineMs }
      // So many at once are one peer that connects anew for each: it pays for that itself.
      if peers.count >= Limits.quarantinePeersMax { peers.removeAll(keepingCapacity: true) }
    }
    peers[peer] = known
    return isOneTooMany
  }
}
