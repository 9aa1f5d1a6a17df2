/// The latest posts, newest first, and the sequence number that the list stands at.
package struct FeedState: Sendable, Equatable {
  package private(set) var epoch: Epoch
  /// Of the last change in the list.
  package private(set) var seq: UInt64
  /// At most `Limits.feedEntriesMax`, by falling `seq`.
  package private(set) var entries: [FeedEntry]

  /// - Parameter entries: newest first.
  package init(epoch: Epoch, seq: UInt64, entries: [FeedEntry]) {
    self.epoch = epoch
    self.seq = seq
    self.entries = Array(entries.prefix(Limits.feedEntriesMax))
  }

  /// Puts changed posts at the top, in the order of their numbers, and lets the oldest go.
  ///
  /// - Parameter changes: by rising `seq`, all above the state's.
  /// - Returns: the posts that left the list.
  @discardableResult
  package mutating func apply(_ changes: some BidirectionalCollection<FeedEntry>) -> [PostID] {
    guard let last = changes.last else { return [] }
    // A post that changed twice stands where its last change puts it.
    var changed: Set<PostID> = []
    let newest = changes.reversed().filter { changed.insert($0.id).inserted }
    entries.removeAll { changed.contains($0.id) }
    entries.insert(contentsOf: newest, at: 0)
    let removed = entries.dropFirst(Limits.feedEntriesMax).map(\.id)
    entries.removeLast(removed.count)
    seq = last.seq
    return removed
  }

  /// Proves that two lists are the same: FNV-1a, 64 bits, over each post's 10-character id and its `seq` as 8 bytes,
  /// little-endian, newest first. (Fowler, Noll, Vo: offset 14695981039346656037, prime 1099511628211.)
  package var hash: UInt64 {
    var hash: UInt64 = 14_695_981_039_346_656_037
    func add(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 1_099_511_628_211 }
    for entry in entries {
      for byte in entry.id.description.utf8 { add(byte) }
      for shift in stride(from: 0, to: 64, by: 8) { add(UInt8(truncatingIfNeeded: entry.seq >> UInt64(shift))) }
    }
    return hash
  }
}
