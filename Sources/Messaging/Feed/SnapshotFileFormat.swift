package import Domain
import SwiftProtobuf

/// The form in which a feed keeps its list in a file: "OTMLIST1", a hash over what follows, and a frame of the feed
/// with the whole list. Here and not in the feed, because only this target reads and writes frames.
package enum SnapshotFileFormat {
  private static let magic = Array("OTMLIST1".utf8)
  /// Length of the longest list, in bytes.
  package static let bytesMax = 16 + Limits.feedFrameBytesMax

  /// What `state` reads.
  package static func bytes(_ state: FeedState) -> [UInt8] {
    let frame = FeedCodec.feed(.snapshot(.periodic), state, isStale: true, instance: "kept", unixMs: 0)
    return magic + withUnsafeBytes(of: FNV1a.hash(frame).littleEndian) { Array($0) } + frame
  }

  /// Nil for bytes that are not a list as it was written.
  package static func state(_ bytes: [UInt8]) -> FeedState? {
    let frame = bytes.dropFirst(16)
    guard bytes.count > 16, bytes.count <= bytesMax, bytes.starts(with: magic),
      bytes[8..<16].reversed().reduce(0, { $0 << 8 | UInt64($1) }) == FNV1a.hash(frame),
      case .snapshot(let state, let hash, _)? = FeedFrame.read(Array(frame)), state.hash == hash
    else { return nil }
    return state
  }
}
