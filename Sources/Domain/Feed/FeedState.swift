/// The latest posts, newest first, and the sequence number that the list stands at.
package struct FeedState: Sendable, Equatable {
  package private(set) var epoch: Epoch
  /// Of the last change of the list.
  package private(set) var seq: UInt64
  /// At most `Limits.feedEntriesMax`, by falling `seq`.
  package private(set) var entries: [FeedEntry]

  /// - Parameter entries: newest first.
  package init(epoch: Epoch, seq: UInt64, entries: [FeedEntry]) {
    self.epoch = epoch
    self.seq = seq
    self.entries = Array(entries.prefix(Limits.feedEntriesMax))
  }

  /// Makes the changes: what is put stands on top, the oldest goes, and comes back when others have gone.
  ///
  /// - Parameter changes: by rising `seq`, all above the state's.
  /// - Returns: the same in one.
  @discardableResult
  package mutating func apply(_ changes: [FeedChange]) -> FeedDelta { apply(newestFirst: changes.reversed()) }

  /// The same, without a look at changes that newer ones have pushed out of the list already.
  @discardableResult
  mutating func apply(newestFirst changes: some Sequence<FeedChange>) -> FeedDelta {
    let (before, prevSeq) = (entries, seq)
    var list: [FeedEntry] = []
    list.reserveCapacity(Limits.feedEntriesMax)
    // Posts of which nothing older counts: one that changed twice stands where its last change puts it.
    var known = Set<PostID>(minimumCapacity: min(changes.underestimatedCount, Limits.feedEntriesMax))
    var gone: [PostID] = []
    var back: [FeedEntry] = []
    var newest: UInt64?
    for change in changes {
      newest = newest ?? change.seq
      switch change {
      case .upsert(let entry): if known.insert(entry.id).inserted { list.append(entry) }
      case .remove(let id, _, let next):
        known.insert(id)
        gone.append(id)
        if let next { back.append(next) }
      }
      if list.count == Limits.feedEntriesMax { break }
    }
    let put = list.count
    var upsert: [FeedEntry] = []
    var remove = gone
    if back.isEmpty {
      for entry in before where !known.contains(entry.id) {
        if list.count < Limits.feedEntriesMax { list.append(entry) } else { remove.append(entry.id) }
      }
    } else {
      // What was on the list, and what came back to it, by falling number; a post may be among them twice.
      let had = Set(before.map(\.id))
      let came = Set(back.map(\.id))
      for entry in (before + back).sorted(by: { $0.seq > $1.seq }) where known.insert(entry.id).inserted {
        if list.count == Limits.feedEntriesMax {
          if had.contains(entry.id) { remove.append(entry.id) }
        } else {
          list.append(entry)
          // Also of what was there and is there again: in between it was not.
          if !had.contains(entry.id) || came.contains(entry.id) { upsert.insert(entry, at: 0) }
        }
      }
    }
    upsert += list[..<put].reversed()
    entries = list
    seq = newest ?? seq
    return FeedDelta(prevSeq: prevSeq, seq: seq, upsert: upsert, remove: remove)
  }

  /// Makes what a delta tells: from `prevSeq` on, or from any number up to its `seq`.
  ///
  /// - Returns: what of it was new here.
  @discardableResult
  package mutating func apply(_ delta: FeedDelta) -> FeedDelta {
    let (before, prevSeq) = (entries, seq)
    let replaced = Set(delta.upsert.lazy.map(\.id))
    let gone = Set(delta.remove)
    var list = Array(delta.upsert.reversed())
    var (had, remove): (Set<PostID>, [PostID]) = ([], [])
    for entry in before {
      if replaced.contains(entry.id) {
        had.insert(entry.id)
      } else if gone.contains(entry.id) {
        remove.append(entry.id)
      } else {
        list.append(entry)
      }
    }
    // What is only back stands further down.
    if let oldest = delta.upsert.first, oldest.seq <= prevSeq { list.sort { $0.seq > $1.seq } }
    remove += list.dropFirst(Limits.feedEntriesMax).map(\.id)
    entries = Array(list.prefix(Limits.feedEntriesMax))
    seq = delta.seq
    let upsert = delta.upsert.filter { $0.seq > prevSeq || !had.contains($0.id) }
    return FeedDelta(prevSeq: prevSeq, seq: seq, upsert: upsert, remove: remove)
  }

  /// Proves that two lists are the same: FNV-1a, 64 bits, over each post's 10-character id and its `seq` as 8 bytes,
  /// little-endian, newest first.
  package var hash: UInt64 {
    var hash = FNV1a()
    for entry in entries {
      let id = entry.id.ascii
      for index in id.indices { hash.add(id[index]) }
      hash.add(littleEndian: entry.seq)
    }
    return hash.value
  }
}
