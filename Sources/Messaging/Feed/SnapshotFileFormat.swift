package import Domain
import SwiftProtobuf

/// The format of the file in which a feed keeps its list. It has "OTMLIST1", the FNV-1a hash of the frame (8 bytes),
/// and a feed frame with the whole list. The format is in this target because only this target reads and writes frames.
package enum SnapshotFileFormat {
  private static let magic = Array("OTMLIST1".utf8)
  /// Maximum length of a snapshot file, in bytes.
  package static let bytesMax = 16 + Limits.feedFrameBytesMax

  /// Returns the file's contents for a list.
  package static func bytes(_ state: FeedState) -> [UInt8] {
    let frame = FeedCodec.feed(.snapshot(.periodic), state, isStale: true, instance: "kept", unixMs: 0)
    return magic + withUnsafeBytes(of: FNV1a.hash(frame).littleEndian) { Array($0) } + frame
  }

  /// Decodes a file's contents. Nil if they are not a list as this format writes it.
  package static func state(_ bytes: [UInt8]) -> FeedState? {
    let frame = bytes.dropFirst(16)
    guard bytes.count > 16, bytes.count <= bytesMax, bytes.starts(with: magic),
      bytes[8..<16].reversed().reduce(0, { $0 << 8 | UInt64($1) }) == FNV1a.hash(frame),
      case .snapshot(let state, let hash, _)? = FeedFrame.read(Array(frame)), state.hash == hash
    else { return nil }
    return state
  }
}
