import DequeModule

/// The latest changes of the list, for feeds to fetch, and the list itself for a feed that is further behind.
package struct ChangeLog: Sendable {
  /// What a feed gets.
  package enum Answer: Sendable, Equatable {
    /// By rising `seq`: all that follows the feed's number, up to `Limits.changesPerFetchMax`.
    case changes([FeedEntry], lastSeq: UInt64)
    /// The whole list: the feed is new, too far behind, or of another history.
    case snapshot(FeedState)
  }

  /// The list without the changes that came last, fewer than `Limits.changesKept`: few ask for it as it stands.
  private var tip: FeedState
  private var untipped = 0
  private var ring: Deque<FeedEntry> = []
  /// Every change above this number is in the ring.
  private var from: UInt64
  /// The number of the last change.
  package private(set) var seq: UInt64

  /// - Parameter state: the list as it is on disk.
  package init(state: FeedState) {
    tip = state
    from = state.seq
    seq = state.seq
  }

  /// Which history it is.
  package var epoch: Epoch { tip.epoch }

  /// The list as it stands.
  package var state: FeedState {
    var state = tip
    state.apply(newestFirst: ring.reversed().prefix(untipped))
    return state
  }

  /// Adds committed changes, by rising `seq`.
  package mutating func append(_ changes: [FeedEntry]) {
    let new = changes.drop { $0.seq <= seq }
    ring.append(contentsOf: new)
    seq = new.last?.seq ?? seq
    untipped += new.count
    if untipped >= Limits.changesKept {
      tip = state
      untipped = 0
    }
    while ring.count > Limits.changesKept, let oldest = ring.popFirst() { from = oldest.seq }
  }

  /// The answer to a feed that stands at a number; nil when there is nothing new for it.
  package func answer(epoch: Epoch?, afterSeq: UInt64, max: Int) -> Answer? {
    guard epoch == self.epoch, (from...seq).contains(afterSeq) else { return .snapshot(state) }
    guard afterSeq < seq else { return nil }
    let first = firstIndex(after: afterSeq)
    let changes = Array(ring[first...].prefix(min(max, Limits.changesPerFetchMax)))
    return .changes(changes, lastSeq: changes.last?.seq ?? seq)
  }

  private func firstIndex(after seq: UInt64) -> Int {
    var (low, high) = (0, ring.count)
    while low < high {
      let middle = (low + high) / 2
      if ring[middle].seq <= seq { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
