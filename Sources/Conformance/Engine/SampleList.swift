import Domain

/// The lists and posts in conformance runs of feeds and subscribers.
enum SampleList {
  /// Returns the first list of an epoch.
  ///
  /// - Parameters:
  ///   - number: Number of the epoch, up to 31.
  ///   - seq: Sequence number before the oldest entry.
  static func history(_ number: UInt8, entries: UInt64, after seq: UInt64) -> FeedState {
    guard let epoch = Epoch(repeatElement(0xE0 + number, count: 16)) else {
      preconditionFailure("Sixteen bytes are an epoch.")
    }
    let newestFirst = (seq + 1...seq + entries).reversed().map { entry($0) }
    return FeedState(epoch: epoch, seq: seq + entries, entries: newestFirst)
  }

  /// Returns an entry.
  ///
  /// - Parameter id: Id of the post. Nil for the id that belongs to the sequence number.
  static func entry(_ seq: UInt64, id: UInt64? = nil) -> FeedEntry {
    guard let id = PostID(rawValue: id ?? 1_000_000_000 + seq),
      let point = Coordinate(latitudeE7: 511_470_000, longitudeE7: 0)
    else { preconditionFailure("The id and the point are valid.") }
    return FeedEntry(
      id: id, seq: seq, account: AccountID(rawValue: 1), firstName: "Post", lastName: "\(seq)", place: "Avalon",
      label: "Avalon", countryCode: "GB", link: "https://example.org/\(seq)", coordinate: point, agreement: .notGiven,
      createdMs: 1_700_000_000_000, updatedMs: 1_700_000_000_000)
  }

  /// Returns the upsert of a new post after a list.
  static func post(after list: FeedState) -> FeedChange { .upsert(entry(list.seq + 1)) }

  /// Returns the removal of a list's second post. The latest post that had left the list returns to its end.
  static func deletion(in list: FeedState) -> FeedChange {
    let oldest = list.entries[list.entries.count - 1].seq
    return .remove(list.entries[1].id, seq: list.seq + 1, backfill: entry(oldest - 1))
  }

  /// Returns the upsert of an edited post in the middle of a list.
  static func edit(in list: FeedState) -> FeedChange {
    .upsert(entry(list.seq + 1, id: list.entries[list.entries.count / 2].id.rawValue))
  }
}

/// The hashes of all lists of a run. Every list that the program publishes or prints must have one of these hashes.
struct KnownLists: Sendable {
  private var hashes: [String: UInt64] = [:]

  mutating func insert(_ list: FeedState) { hashes["\(list.epoch)/\(list.seq)"] = list.hash }

  /// Returns the hash of a list. Nil if there was no such list.
  ///
  /// - Parameter epoch: The epoch, or its 32 hexadecimal digits.
  func hash(_ epoch: some CustomStringConvertible, _ seq: UInt64) -> UInt64? { hashes["\(epoch)/\(seq)"] }
}
