import Domain
import Testing

/// Numbered posts, newest first, and lists of them.
enum Posts {
  /// The creation time of post 0, in milliseconds since 1970. Each following post is one millisecond younger.
  static let beginMs: Int64 = 1_600_000_000_000

  static func entry(
    _ seq: UInt64, label: String = "Seattle, Washington, United States", firstName: String = "Ada",
    link: String = "https://example.org/ada"
  ) throws -> FeedEntry {
    let ms = beginMs + Int64(seq)
    return FeedEntry(
      id: PostID.following(nil, unixMs: ms), seq: seq, account: AccountID(rawValue: 1), firstName: firstName,
      lastName: "Lovelace", place: "seattle", label: label, countryCode: "US", link: link,
      coordinate: try #require(Coordinate(latitude: 47.6, longitude: -122.3)), agreement: .notGiven, createdMs: ms,
      updatedMs: ms)
  }

  /// Returns the delta that adds post `seq`.
  static func delta(_ seq: UInt64) throws -> FeedDelta {
    FeedDelta(prevSeq: seq - 1, seq: seq, upsert: [try entry(seq)], remove: [])
  }

  static func list(_ seqs: ClosedRange<UInt64>, epoch byte: UInt8 = 7) throws -> FeedState {
    FeedState(
      epoch: try #require(Epoch([UInt8](repeating: byte, count: 16))), seq: seqs.upperBound,
      entries: try seqs.reversed().map { try entry($0) })
  }
}
