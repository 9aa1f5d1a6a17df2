import DequeModule

/// The list as it stands, and as it stood after each of the changes before: what somebody has to be told who saw it
/// then, exactly, even where he sees only a part of it.
package struct FeedHistory: Sendable {
  /// The list as it stands.
  package private(set) var state: FeedState
  /// The list before all of `changes`.
  private var base: FeedState
  private var changes: Deque<FeedChange> = []
  private let capacity: Int

  /// - Parameters:
  ///   - state: the list as it is.
  ///   - kept: changes that are kept at least; twice as many at most.
  package init(state: FeedState, capacity: Int = Limits.feedChangesKept) {
    self.state = state
    self.capacity = capacity
    base = state
  }

  /// Adds changes.
  ///
  /// - Parameters:
  ///   - new: by rising `seq`, all above the list's.
  ///   - state: the list after them.
  package mutating func append(_ new: [FeedChange], to state: FeedState) {
    changes.append(contentsOf: new)
    self.state = state
    // Many at once: each time, a list is put together.
    guard changes.count >= 2 * capacity else { return }
    let old = changes.count - capacity
    base.apply(newestFirst: changes.prefix(old).reversed())
    changes.removeFirst(old)
  }

  /// The list as it stood at a number; nil where that is not known any more, or not yet.
  package func list(at seq: UInt64) -> FeedState? {
    guard (base.seq...state.seq).contains(seq) else { return nil }
    if seq == state.seq { return state }
    var list = base
    list.apply(newestFirst: changes.reversed().drop { $0.seq > seq })
    return list
  }
}

/// What is different between two lists of one history.
package struct FeedDifference: Sendable {
  /// The later list.
  package let state: FeedState
  /// What it has and the earlier one had not, or not in this version, by rising `seq`.
  private let new: [FeedEntry]
  /// What the earlier one had and it has not, or not in this version.
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

  /// The same for those who see what the filter lets through; nil where that is nothing.
  ///
  /// - Parameter seq: what they were last told that the list stands at.
  package func delta(after seq: UInt64, filter: FeedFilter) -> FeedDelta? {
    let upsert = filter.isAll ? new : new.filter(filter.contains)
    let stays = Set(upsert.lazy.map(\.id))
    let remove = old.lazy.filter { !stays.contains($0.id) && filter.contains($0) }.map(\.id)
    // Who sees all sees the number too.
    if !filter.isAll, upsert.isEmpty, remove.isEmpty { return nil }
    return FeedDelta(prevSeq: seq, seq: state.seq, upsert: upsert, remove: Array(remove))
  }
}
