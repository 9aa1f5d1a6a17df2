/// A change of the list. Changes have the order of the store's commits.
package enum FeedChange: Sendable, Hashable {
  /// The post is new or edited, and moves to the top of the list.
  case upsert(FeedEntry)
  /// The post is deleted. `backfill` is the entry that refills the end of the list. Nil if there is no such entry, or
  /// if the post was not on the list.
  case remove(PostID, seq: UInt64, backfill: FeedEntry?)

  /// Sequence number of the change, which rises with each change.
  package var seq: UInt64 {
    switch self {
    case .upsert(let entry): entry.seq
    case .remove(_, let seq, _): seq
    }
  }
}

/// The combined effect of several changes. A list at `prevSeq`, or between `prevSeq` and `seq`, becomes the list at
/// `seq`.
package struct FeedDelta: Sendable, Hashable {
  /// Sequence number of the list before the delta.
  package let prevSeq: UInt64
  /// Sequence number of the list after the delta.
  package let seq: UInt64
  /// Entries that are new on the list, or new in this version, by ascending `seq`. The delta has at most
  /// `Limits.feedEntriesMax`. An entry with a `seq` up to `prevSeq` is back on the list, because another entry has
  /// left.
  package let upsert: [FeedEntry]
  /// Posts that are deleted or have left the list.
  package let remove: [PostID]

  package init(prevSeq: UInt64, seq: UInt64, upsert: [FeedEntry], remove: [PostID]) {
    self.prevSeq = prevSeq
    self.seq = seq
    self.upsert = upsert
    self.remove = remove
  }

  /// New or edited posts, by ascending `seq`, without entries that are only back on the list.
  package var newOrEdited: ArraySlice<FeedEntry> { upsert.drop { $0.seq <= prevSeq } }
}
