import DequeModule

/// The latest changes of the list for feeds that follow it, and the list itself for feeds that are further behind.
package struct ChangeLog: Sendable {
  /// The reply to a feed's fetch.
  package enum FetchResult: Sendable, Equatable {
    /// Changes by ascending `seq`, from the feed's number on, at most `Limits.changesPerFetchMax`. The hash belongs to
    /// the list after them, or is nil if more changes wait.
    case changes([FeedChange], lastSeq: UInt64, hash: UInt64?)
    /// The whole list, because the feed is new, too far behind, or of another epoch.
    case snapshot(FeedState)
  }

  /// Base list, without the newest `pendingCount` changes, which are fewer than `capacity`. The full list is rebuilt on
  /// demand, because few requests need it.
  private var baseList: FeedState
  private var pendingCount = 0
  private var ring: Deque<FeedChange> = []
  private let capacity: Int
  /// Lower bound of the ring: every change above this sequence number is in it.
  package private(set) var minAfterSeq: UInt64
  /// Sequence number of the last change.
  package private(set) var seq: UInt64
  /// The hash that was computed last, with its sequence number.
  private var hashed: (seq: UInt64, hash: UInt64)?

  /// Creates a log with a list.
  ///
  /// - Parameters:
  ///   - state: present list.
  ///   - capacity: maximum number of changes to keep.
  package init(state: FeedState, capacity: Int = Limits.changesKept) {
    self.capacity = capacity
    baseList = state
    minAfterSeq = state.seq
    seq = state.seq
  }

  /// Epoch of the list's sequence numbers.
  package var epoch: Epoch { baseList.epoch }

  /// The present list, with all changes.
  package var state: FeedState {
    var state = baseList
    state.apply(newestFirst: ring.reversed().prefix(pendingCount))
    return state
  }

  /// The hash of the present list.
  package var hash: UInt64 {
    mutating get {
      if let hashed, hashed.seq == seq { return hashed.hash }
      let hash = state.hash
      hashed = (seq, hash)
      return hash
    }
  }

  /// Appends committed changes, by ascending `seq`. Changes up to the present `seq` are skipped.
  package mutating func append(_ changes: [FeedChange]) {
    let new = changes.drop { $0.seq <= seq }
    ring.append(contentsOf: new)
    seq = new.last?.seq ?? seq
    pendingCount += new.count
    if pendingCount >= capacity {
      baseList = state
      pendingCount = 0
    }
    while ring.count > capacity, let oldest = ring.popFirst() { minAfterSeq = oldest.seq }
  }

  /// Returns the reply to a feed at a sequence number. Nil if there is nothing new for it.
  package mutating func fetch(epoch: Epoch?, afterSeq: UInt64, max: Int) -> FetchResult? {
    guard epoch == self.epoch, (minAfterSeq...seq).contains(afterSeq) else { return .snapshot(state) }
    guard afterSeq < seq else { return nil }
    let first = firstIndex(after: afterSeq)
    let changes = Array(ring[first...].prefix(min(max, Limits.changesPerFetchMax)))
    let lastSeq = changes.last?.seq ?? seq
    return .changes(changes, lastSeq: lastSeq, hash: lastSeq == seq ? hash : nil)
  }

  /// Returns all changes after a sequence number as one delta. Nil if the ring no longer reaches it, or for another
  /// epoch.
  package func delta(epoch: Epoch?, afterSeq: UInt64) -> FeedDelta? {
    guard epoch == self.epoch, (minAfterSeq...seq).contains(afterSeq) else { return nil }
    let state = state
    var (backfilled, deleted): (Set<PostID>, [PostID]) = ([], [])
    for change in ring[firstIndex(after: afterSeq)...] {
      guard case .remove(let id, _, let backfill) = change else { continue }
      deleted.append(id)
      if let backfill { backfilled.insert(backfill.id) }
    }
    // Entries that fell off the list's end are unknown here. They fall off every subscriber's list too.
    let upsert = state.entries.reversed().filter { $0.seq > afterSeq || backfilled.contains($0.id) }
    return FeedDelta(prevSeq: afterSeq, seq: seq, upsert: upsert, remove: deleted)
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
