import Domain
import SwiftProtobuf

typealias FeedFrame = Onthemap_Feed_V1_FeedFrame

extension Onthemap_Feed_V1_Entry {
  /// The entry. Nil if a field breaks the protocol.
  var entry: FeedEntry? {
    guard let id = PostID(postID), let coordinate = Coordinate(latitudeE7: latE7, longitudeE7: lonE7),
      max(createdUnixMs, updatedUnixMs) <= Protocol.unixMsMax
    else { return nil }
    return FeedEntry(
      id: id, seq: seq, account: AccountID(rawValue: Int64(bitPattern: account)), firstName: firstName,
      lastName: lastName, place: place, label: label, countryCode: countryCode, link: link, coordinate: coordinate,
      agreement: UInt8(exactly: agreement.rawValue).flatMap(Verdict.Agreement.init) ?? .unverified,
      createdMs: Int64(bitPattern: createdUnixMs), updatedMs: Int64(bitPattern: updatedUnixMs))
  }
}

/// Returns all entries. Nil if one of them breaks the protocol.
func entries(_ wire: [Onthemap_Feed_V1_Entry]) -> [FeedEntry]? {
  let entries = wire.compactMap(\.entry)
  return entries.count == wire.count ? entries : nil
}

extension Onthemap_Feed_V1_Snapshot {
  /// Returns the list. Nil if an entry breaks the protocol.
  func state(_ epoch: Epoch, _ seq: UInt64) -> FeedState? {
    Messaging.entries(entries).map { FeedState(epoch: epoch, seq: seq, entries: $0) }
  }
}

extension Onthemap_Feed_V1_Delta {
  /// Returns the delta. Nil if an entry or an id breaks the protocol.
  func delta(to seq: UInt64) -> FeedDelta? {
    let removed = remove.compactMap { PostID($0) }
    guard removed.count == remove.count, let upsert = entries(upsert) else { return nil }
    return FeedDelta(prevSeq: prevSeq, seq: seq, upsert: upsert, remove: removed)
  }
}

extension FeedFrame {
  /// Decodes a frame of this major version. Nil for other bytes, and if a field breaks the protocol.
  static func read(_ bytes: [UInt8]) -> FeedReplica.Frame? {
    FeedCodec.delta(bytes) ?? message(bytes)
  }

  /// Decodes a frame as `read(_:)` does, but with the generated code alone.
  static func message(_ bytes: [UInt8]) -> FeedReplica.Frame? {
    guard let wire = try? FeedFrame(serializedBytes: bytes), wire.magic == Protocol.magic,
      wire.major == Protocol.major, let epoch = Epoch(wire.epoch)
    else { return nil }
    switch wire.body {
    case .snapshot(let snapshot):
      guard let state = snapshot.state(epoch, wire.seq) else { return nil }
      return .snapshot(state, hash: snapshot.stateHash, isStale: wire.stale)
    case .delta(let message):
      guard let delta = message.delta(to: wire.seq) else { return nil }
      return .delta(delta, epoch: epoch, hash: message.stateHash)
    case .heartbeat(let heartbeat):
      return .heartbeat(epoch: epoch, seq: wire.seq, hash: heartbeat.stateHash, isStale: wire.stale)
    case .bye(let bye):
      return .bye(
        reason: bye.reason, failoverEndpoints: Array(bye.failoverEndpoints.prefix(Limits.failoverEndpointsMax)),
        retryAfterMs: Int64(bye.retryAfterMs))
    case nil: return wire.minor > Protocol.minor ? .unknown : nil
    }
  }
}
