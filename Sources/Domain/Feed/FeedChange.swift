/// One change of the list, in the order that the store made them.
package enum FeedChange: Sendable, Hashable {
  /// The post is new or edited: it stands on top.
  case upsert(FeedEntry)
  /// The post is deleted. What follows the list's end takes the room that it leaves there: nil where nothing does, and
  /// where the post had left the list before.
  case remove(PostID, seq: UInt64, next: FeedEntry?)

  /// Its number; rises with each.
  package var seq: UInt64 {
    switch self {
    case .upsert(let entry): entry.seq
    case .remove(_, let seq, _): seq
    }
  }
}

/// What changes did to the list, in one, for those who follow it: applied to any list that stands between the two
/// numbers, it makes the one that stands at `seq`.
package struct FeedDelta: Sendable, Hashable {
  /// What the list stood at before.
  package let prevSeq: UInt64
  /// What it stands at afterwards.
  package let seq: UInt64
  /// What is on the list now and was not, or not in this version, by rising `seq`; `Limits.feedEntriesMax` at most.
  /// Those up to `prevSeq` are back on it, because others have gone.
  package let upsert: [FeedEntry]
  /// The posts that are deleted or have left the list.
  package let remove: [PostID]

  package init(prevSeq: UInt64, seq: UInt64, upsert: [FeedEntry], remove: [PostID]) {
    self.prevSeq = prevSeq
    self.seq = seq
    self.upsert = upsert
    self.remove = remove
  }

  /// Posts that are new or edited, by rising `seq`: not those that are only back.
  package var newOrEdited: ArraySlice<FeedEntry> { upsert.drop { $0.seq <= prevSeq } }
}
