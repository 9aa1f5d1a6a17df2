/// A change of the list. The store's commit order is the order of changes.
package enum FeedChange: Sendable, Hashable {
  /// The post is new or edited, and moves to the top of the list.
  case upsert(FeedEntry)
  /// The post is deleted. `backfill` is the entry that moves into the last place. Nil if there is none, or if the post
  /// had left the list before.
  case remove(PostID, seq: UInt64, backfill: FeedEntry?)

  /// Sequence number of the change, which rises with each change.
  package var seq: UInt64 {
    switch self {
    case .upsert(let entry): entry.seq
    case .remove(_, let seq, _): seq
    }
  }
}

/// The combined effect of several changes. Applied to a list between `prevSeq` and `seq`, it produces the list at
/// `seq`.
package struct FeedDelta: Sendable, Hashable {
  /// Sequence number of the list before these changes.
  package let prevSeq: UInt64
  /// Sequence number of the list after these changes.
  package let seq: UInt64
  /// Entries that are new on the list, or new in this version, by ascending `seq`; at most `Limits.feedEntriesMax`.
  /// Entries up to `prevSeq` are back on the list because others have left it.
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
