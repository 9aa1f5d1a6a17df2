import DequeModule

/// The latest changes of the list, for those who follow it, and the list itself for who is further behind.
package struct ChangeLog: Sendable {
  /// What a feed gets.
  package enum FetchResult: Sendable, Equatable {
    /// By rising `seq`: all that follows the feed's number, up to `Limits.changesPerFetchMax`. The hash is that of the
    /// list after them; nil where more of them wait.
    case changes([FeedChange], lastSeq: UInt64, hash: UInt64?)
    /// The whole list: the feed is new, too far behind, or of another history.
    case snapshot(FeedState)
  }

  /// The list without the changes that came last, fewer than are kept: few ask for it as it stands.
  private var baseList: FeedState
  private var pendingCount = 0
  private var ring: Deque<FeedChange> = []
  private let capacity: Int
  /// Every change above this number is here.
  package private(set) var ringFrom: UInt64
  /// The number of the last change.
  package private(set) var seq: UInt64
  /// Of the list at a number, once somebody has asked for it.
  private var hashed: (seq: UInt64, hash: UInt64)?

  /// - Parameters:
  ///   - state: the list as it is.
  ///   - kept: changes that are kept at most.
  package init(state: FeedState, capacity: Int = Limits.changesKept) {
    self.capacity = capacity
    baseList = state
    ringFrom = state.seq
    seq = state.seq
  }

  /// Which history it is.
  package var epoch: Epoch { baseList.epoch }

  /// The list as it stands.
  package var state: FeedState {
    var state = baseList
    state.apply(newestFirst: ring.reversed().prefix(pendingCount))
    return state
  }

  /// The hash of the list as it stands.
  package var hash: UInt64 {
    mutating get {
      if let hashed, hashed.seq == seq { return hashed.hash }
      let hash = state.hash
      hashed = (seq, hash)
      return hash
    }
  }

  /// Adds committed changes, by rising `seq`.
  package mutating func append(_ changes: [FeedChange]) {
    let new = changes.drop { $0.seq <= seq }
    ring.append(contentsOf: new)
    seq = new.last?.seq ?? seq
    pendingCount += new.count
    if pendingCount >= capacity {
      baseList = state
      pendingCount = 0
    }
    while ring.count > capacity, let oldest = ring.popFirst() { ringFrom = oldest.seq }
  }

  /// The answer to a feed that stands at a number; nil when there is nothing new for it.
  package mutating func fetch(epoch: Epoch?, afterSeq: UInt64, max: Int) -> FetchResult? {
    guard epoch == self.epoch, (ringFrom...seq).contains(afterSeq) else { return .snapshot(state) }
    guard afterSeq < seq else { return nil }
    let first = firstIndex(after: afterSeq)
    let changes = Array(ring[first...].prefix(min(max, Limits.changesPerFetchMax)))
    let lastSeq = changes.last?.seq ?? seq
    return .changes(changes, lastSeq: lastSeq, hash: lastSeq == seq ? hash : nil)
  }

  /// All that followed a number, in one; nil where that is not known any more, or is another history's.
  package func delta(epoch: Epoch?, afterSeq: UInt64) -> FeedDelta? {
    guard epoch == self.epoch, (ringFrom...seq).contains(afterSeq) else { return nil }
    let state = state
    var (back, gone): (Set<PostID>, [PostID]) = ([], [])
    for change in ring[firstIndex(after: afterSeq)...] {
      guard case .remove(let id, _, let next) = change else { continue }
      gone.append(id)
      if let next { back.insert(next.id) }
    }
    // What fell off the list's end is not known here, and falls off everybody's.
    let upsert = state.entries.reversed().filter { $0.seq > afterSeq || back.contains($0.id) }
    return FeedDelta(prevSeq: afterSeq, seq: seq, upsert: upsert, remove: gone)
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
