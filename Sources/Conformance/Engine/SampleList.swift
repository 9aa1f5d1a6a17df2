import Domain

/// The lists and posts with which feeds and subscribers are run.
enum SampleList {
  /// Returns the list of a new history.
  ///
  /// - Parameters:
  ///   - number: number of the history, up to 31. Each has its own epoch.
  ///   - seq: sequence number before the first of the entries.
  static func history(_ number: UInt8, entries: UInt64, after seq: UInt64) -> FeedState {
    guard let epoch = Epoch(repeatElement(0xE0 + number, count: 16)) else {
      preconditionFailure("Sixteen bytes are an epoch.")
    }
    let newestFirst = (seq + 1...seq + entries).reversed().map { entry($0) }
    return FeedState(epoch: epoch, seq: seq + entries, entries: newestFirst)
  }

  /// - Parameter id: the post's id. Nil for the id that belongs to the number.
  static func entry(_ seq: UInt64, id: UInt64? = nil) -> FeedEntry {
    guard let id = PostID(rawValue: id ?? 1_000_000_000 + seq),
      let point = Coordinate(latitudeE7: 511_470_000, longitudeE7: 0)
    else { preconditionFailure("There are such an id and such a point.") }
    return FeedEntry(
      id: id, seq: seq, account: AccountID(rawValue: 1), firstName: "Post", lastName: "\(seq)", place: "Avalon",
      label: "Avalon", countryCode: "GB", link: "https://example.org/\(seq)", coordinate: point, agreement: .notProvided,
      createdMs: 1_700_000_000_000, updatedMs: 1_700_000_000_000)
  }

  /// A new post, which comes after a list.
  static func post(after list: FeedState) -> FeedChange { .upsert(entry(list.seq + 1)) }

  /// The deletion of a list's second post, which brings back the post that had left the list last.
  static func deletion(in list: FeedState) -> FeedChange {
    let oldest = list.entries[list.entries.count - 1].seq
    return .remove(list.entries[1].id, seq: list.seq + 1, next: entry(oldest - 1))
  }

  /// An edit of the post in the middle of a list.
  static func edit(in list: FeedState) -> FeedChange {
    .upsert(entry(list.seq + 1, id: list.entries[list.entries.count / 2].id.rawValue))
  }
}

/// The hashes of all lists that a run has had. A list that the program shows must be one of them.
struct KnownLists: Sendable {
  private var hashes: [String: UInt64] = [:]

  mutating func insert(_ list: FeedState) { hashes["\(list.epoch)/\(list.seq)"] = list.hash }

  /// - Parameter epoch: the epoch, or its 32 hexadecimal digits.
  func hash(_ epoch: some CustomStringConvertible, _ seq: UInt64) -> UInt64? { hashes["\(epoch)/\(seq)"] }
}
