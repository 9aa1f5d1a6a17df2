/// The latest posts, newest first, and the sequence number of their list.
package struct FeedState: Sendable, Equatable {
  package private(set) var epoch: Epoch
  /// Sequence number of the list's last change.
  package private(set) var seq: UInt64
  /// Entries by descending `seq`, at most `Limits.feedEntriesMax`.
  package private(set) var entries: [FeedEntry]

  /// - Parameter entries: posts, newest first.
  package init(epoch: Epoch, seq: UInt64, entries: [FeedEntry]) {
    self.epoch = epoch
    self.seq = seq
    self.entries = Array(entries.prefix(Limits.feedEntriesMax))
  }

  /// Applies changes. An upsert moves its entry to the top, and the oldest entry leaves a full list. A removal may
  /// bring an older entry back.
  ///
  /// - Parameter changes: Changes by ascending `seq`, all above the list's.
  /// - Returns: the changes as one delta.
  @discardableResult
  package mutating func apply(_ changes: [FeedChange]) -> FeedDelta { apply(newestFirst: changes.reversed()) }

  /// Applies changes in descending order, with the same effect as `apply(_:)`. Skips changes whose entries newer
  /// changes push off the list.
  @discardableResult
  mutating func apply(newestFirst changes: some Sequence<FeedChange>) -> FeedDelta {
    let (before, prevSeq) = (entries, seq)
    var list: [FeedEntry] = []
    list.reserveCapacity(Limits.feedEntriesMax)
    // Posts whose earlier changes no longer count. The last change of a post decides its position.
    var known = Set<PostID>(minimumCapacity: min(changes.underestimatedCount, Limits.feedEntriesMax))
    var deleted: [PostID] = []
    var backfills: [FeedEntry] = []
    var newest: UInt64?
    for change in changes {
      newest = newest ?? change.seq
      switch change {
      case .upsert(let entry): if known.insert(entry.id).inserted { list.append(entry) }
      case .remove(let id, _, let backfill):
        known.insert(id)
        deleted.append(id)
        if let backfill { backfills.append(backfill) }
      }
      if list.count == Limits.feedEntriesMax { break }
    }
    let upsertCount = list.count
    var upsert: [FeedEntry] = []
    var remove = deleted
    if backfills.isEmpty {
      for entry in before where !known.contains(entry.id) {
        if list.count < Limits.feedEntriesMax { list.append(entry) } else { remove.append(entry.id) }
      }
    } else {
      // Entries that were on the list or came back to it, by descending `seq`. A post may occur twice.
      let listed = Set(before.map(\.id))
      let backfilled = Set(backfills.map(\.id))
      for entry in (before + backfills).sorted(by: { $0.seq > $1.seq }) where known.insert(entry.id).inserted {
        if list.count == Limits.feedEntriesMax {
          if listed.contains(entry.id) { remove.append(entry.id) }
        } else {
          list.append(entry)
          // The delta includes a post that left the list and came back to it.
          if !listed.contains(entry.id) || backfilled.contains(entry.id) { upsert.insert(entry, at: 0) }
        }
      }
    }
    upsert += list[..<upsertCount].reversed()
    entries = list
    seq = newest ?? seq
    return FeedDelta(prevSeq: prevSeq, seq: seq, upsert: upsert, remove: remove)
  }

  /// Applies a delta to a list at the delta's `prevSeq` … `seq`.
  ///
  /// - Returns: the part of the delta that was new to the list.
  @discardableResult
  package mutating func apply(_ delta: FeedDelta) -> FeedDelta {
    let (before, prevSeq) = (entries, seq)
    let replaced = Set(delta.upsert.lazy.map(\.id))
    let removed = Set(delta.remove)
    var list = Array(delta.upsert.reversed())
    var (listed, remove): (Set<PostID>, [PostID]) = ([], [])
    for entry in before {
      if replaced.contains(entry.id) {
        listed.insert(entry.id)
      } else if removed.contains(entry.id) {
        remove.append(entry.id)
      } else {
        list.append(entry)
      }
    }
    // Entries that are back on the list without a change belong further down.
    if let oldest = delta.upsert.first, oldest.seq <= prevSeq { list.sort { $0.seq > $1.seq } }
    remove += list.dropFirst(Limits.feedEntriesMax).map(\.id)
    entries = Array(list.prefix(Limits.feedEntriesMax))
    seq = delta.seq
    let upsert = delta.upsert.filter { $0.seq > prevSeq || !listed.contains($0.id) }
    return FeedDelta(prevSeq: prevSeq, seq: seq, upsert: upsert, remove: remove)
  }

  /// Hash for the comparison of two lists: FNV-1a, 64 bits, over each post, newest first. The input is the post's
  /// 10-character id, and its `seq` as 8 bytes, little-endian.
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
