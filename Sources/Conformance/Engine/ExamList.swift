import Domain

/// The posts with which feeds and subscribers are examined.
enum ExamList {
  /// A list of its own history.
  ///
  /// - Parameter seq: what the first of the posts follows.
  static func history(_ number: UInt8, entries: UInt64, after seq: UInt64) -> FeedState {
    guard let epoch = Epoch(repeatElement(0xE0 + number, count: 16)) else {
      preconditionFailure("Sixteen bytes are an epoch.")
    }
    let newestFirst = (seq + 1...seq + entries).reversed().map { entry($0) }
    return FeedState(epoch: epoch, seq: seq + entries, entries: newestFirst)
  }

  /// - Parameter id: of the post, where it is not the one that always has that number.
  static func entry(_ seq: UInt64, id: UInt64? = nil) -> FeedEntry {
    guard let id = PostID(rawValue: id ?? 1_000_000_000 + seq),
      let point = Coordinate(latitudeE7: 511_470_000, longitudeE7: 0)
    else { preconditionFailure("There are such an id and such a point.") }
    return FeedEntry(
      id: id, seq: seq, account: AccountID(rawValue: 1), firstName: "Post", lastName: "\(seq)", place: "Avalon",
      label: "Avalon", countryCode: "GB", link: "https://example.org/\(seq)", coordinate: point, agreement: .found,
      createdMs: 1_700_000_000_000, updatedMs: 1_700_000_000_000)
  }
}
