/// What changes did to the list, for those who follow it.
package struct FeedChange: Sendable {
  /// What the list stood at before.
  package let prevSeq: UInt64
  /// What is new, by rising `seq`.
  package let entries: [FeedEntry]
  /// The posts that left the list.
  package let removed: [PostID]

  package init(prevSeq: UInt64, entries: [FeedEntry], removed: [PostID]) {
    self.prevSeq = prevSeq
    self.entries = entries
    self.removed = removed
  }
}

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
  package mutating func apply(_ changes: [FeedEntry]) -> [PostID] { apply(newestFirst: changes.reversed()) }

  /// The same, without a look at changes that newer ones have pushed out of the list already.
  @discardableResult
  mutating func apply(newestFirst changes: some Sequence<FeedEntry>) -> [PostID] {
    var list: [FeedEntry] = []
    list.reserveCapacity(Limits.feedEntriesMax)
    var changed = Set<PostID>(minimumCapacity: min(changes.underestimatedCount, Limits.feedEntriesMax))
    // A post that changed twice stands where its last change puts it.
    for entry in changes where changed.insert(entry.id).inserted {
      list.append(entry)
      if list.count == Limits.feedEntriesMax { break }
    }
    guard let first = list.first else { return [] }
    var removed: [PostID] = []
    for entry in entries where !changed.contains(entry.id) {
      if list.count < Limits.feedEntriesMax { list.append(entry) } else { removed.append(entry.id) }
    }
    entries = list
    seq = first.seq
    return removed
  }

  /// Proves that two lists are the same: FNV-1a, 64 bits, over each post's 10-character id and its `seq` as 8 bytes,
  /// little-endian, newest first. (Fowler, Noll, Vo: offset 14695981039346656037, prime 1099511628211.)
  package var hash: UInt64 {
    var hash: UInt64 = 14_695_981_039_346_656_037
    func add(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 1_099_511_628_211 }
    for entry in entries {
      let id = entry.id.ascii
      for index in id.indices { add(id[index]) }
      for shift in stride(from: 0, to: 64, by: 8) { add(UInt8(truncatingIfNeeded: entry.seq >> UInt64(shift))) }
    }
    return hash
  }
}
