import DequeModule

/// Latest changes of the list, for feeds that follow it. A feed that is further behind gets the whole list.
package struct ChangeLog: Sendable {
  /// Reply to a feed's fetch.
  package enum FetchResult: Sendable, Equatable {
    /// Changes after the feed's sequence number, by ascending `seq`, at most `Limits.changesPerFetchMax`. `lastSeq` is
    /// the sequence number of the list after these changes. `hash` is the hash of that list, or nil if more changes
    /// wait.
    case changes([FeedChange], lastSeq: UInt64, hash: UInt64?)
    /// The whole list. The feed has no list, a list of another epoch, or a sequence number outside the ring.
    case snapshot(FeedState)
  }

  /// List without the newest `pendingCount` changes, which are fewer than `capacity`. `state` applies these changes on
  /// demand, because few requests need the current list.
  private var baseList: FeedState
  private var pendingCount = 0
  private var ring: Deque<FeedChange> = []
  private let capacity: Int
  /// Lower bound of the ring, which contains every change above this sequence number.
  package private(set) var minAfterSeq: UInt64
  /// Sequence number of the last change.
  package private(set) var seq: UInt64
  /// The hash that was computed last, with its sequence number.
  private var hashed: (seq: UInt64, hash: UInt64)?

  /// Creates a log that begins with a list.
  ///
  /// - Parameters:
  ///   - state: Current list.
  ///   - capacity: Maximum number of changes to keep.
  package init(state: FeedState, capacity: Int = Limits.changesKept) {
    self.capacity = capacity
    baseList = state
    minAfterSeq = state.seq
    seq = state.seq
  }

  /// Epoch of the list's sequence numbers.
  package var epoch: Epoch { baseList.epoch }

  /// The current list, with all changes.
  package var state: FeedState {
    var state = baseList
    state.apply(newestFirst: ring.reversed().prefix(pendingCount))
    return state
  }

  /// The hash of the current list.
  package var hash: UInt64 {
    mutating get {
      if let hashed, hashed.seq == seq { return hashed.hash }
      let hash = state.hash
      hashed = (seq, hash)
      return hash
    }
  }

  /// Appends committed changes, by ascending `seq`. The log skips changes up to its current `seq`.
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

  /// Returns the reply to a fetch. Nil if the feed's list is up to date.
  ///
  /// - Parameters:
  ///   - epoch: Epoch of the feed's list. Nil without a list.
  ///   - afterSeq: Sequence number of the feed's list.
  ///   - max: Maximum number of changes in the reply, 1 or more.
  package mutating func fetch(epoch: Epoch?, afterSeq: UInt64, max: Int) -> FetchResult? {
    guard epoch == self.epoch, (minAfterSeq...seq).contains(afterSeq) else { return .snapshot(state) }
    guard afterSeq < seq else { return nil }
    let first = firstIndex(after: afterSeq)
    let changes = Array(ring[first...].prefix(min(max, Limits.changesPerFetchMax)))
    let lastSeq = changes.last?.seq ?? seq
    return .changes(changes, lastSeq: lastSeq, hash: lastSeq == seq ? hash : nil)
  }

  /// Returns all changes after a sequence number as one delta. Nil for another epoch, or for a sequence number outside
  /// the ring.
  package func delta(epoch: Epoch?, afterSeq: UInt64) -> FeedDelta? {
    guard epoch == self.epoch, (minAfterSeq...seq).contains(afterSeq) else { return nil }
    let state = state
    var (backfilled, deleted): (Set<PostID>, [PostID]) = ([], [])
    for change in ring[firstIndex(after: afterSeq)...] {
      guard case .remove(let id, _, let backfill) = change else { continue }
      deleted.append(id)
      if let backfill { backfilled.insert(backfill.id) }
    }
    // The ring does not record entries that fell off the end of the list. They fall off every subscriber's list too.
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
