import DequeModule

/// Recent versions of the list. The history yields the exact delta for a client that last saw an older version, even if
/// a filter shows the client only a part.
package struct FeedHistory: Sendable {
  /// The current list.
  package private(set) var state: FeedState
  /// The list before all of `changes`.
  private var base: FeedState
  private var changes: Deque<FeedChange> = []
  private let capacity: Int

  /// - Parameters:
  ///   - state: Current list.
  ///   - capacity: Minimum number of changes to keep. The maximum is twice as many.
  package init(state: FeedState, capacity: Int = Limits.feedChangesKept) {
    self.state = state
    self.capacity = capacity
    base = state
  }

  /// Adds changes.
  ///
  /// - Parameters:
  ///   - new: Changes by ascending `seq`, all above the current list's.
  ///   - state: List after these changes.
  package mutating func append(_ new: [FeedChange], to state: FeedState) {
    changes.append(contentsOf: new)
    self.state = state
    // Drop many changes together, because each drop rebuilds the base list.
    guard changes.count >= 2 * capacity else { return }
    let old = changes.count - capacity
    base.apply(newestFirst: changes.prefix(old).reversed())
    changes.removeFirst(old)
  }

  /// Returns the list at a sequence number. Nil if the history no longer has that list, or has not reached it.
  package func list(at seq: UInt64) -> FeedState? {
    guard (base.seq...state.seq).contains(seq) else { return nil }
    if seq == state.seq { return state }
    var list = base
    list.apply(newestFirst: changes.reversed().drop { $0.seq > seq })
    return list
  }
}

/// The difference between two lists of one epoch.
package struct FeedDifference: Sendable {
  /// The later list.
  package let state: FeedState
  /// Entries that the earlier list lacks, or has in another version, by ascending `seq`.
  private let new: [FeedEntry]
  /// Entries that the later list lacks, or has in another version.
  private let old: [FeedEntry]

  package init(from earlier: FeedState, to state: FeedState) {
    func versions(_ list: FeedState) -> [PostID: UInt64] {
      Dictionary(list.entries.lazy.map { ($0.id, $0.seq) }) { first, _ in first }
    }
    let (before, after) = (versions(earlier), versions(state))
    self.state = state
    new = state.entries.reversed().filter { before[$0.id] != $0.seq }
    old = earlier.entries.filter { after[$0.id] != $0.seq }
  }

  /// Returns the delta for clients with this filter. Nil if it would be empty.
  ///
  /// - Parameter seq: Sequence number of the list that the clients last received.
  package func delta(after seq: UInt64, filter: FeedFilter) -> FeedDelta? {
    let upsert = filter.isAll ? new : new.filter(filter.contains)
    let upserted = Set(upsert.lazy.map(\.id))
    let remove = old.lazy.filter { !upserted.contains($0.id) && filter.contains($0) }.map(\.id)
    // Clients without a filter need the new sequence number even if the delta is empty.
    if !filter.isAll, upsert.isEmpty, remove.isEmpty { return nil }
    return FeedDelta(prevSeq: seq, seq: state.seq, upsert: upsert, remove: Array(remove))
  }
}
