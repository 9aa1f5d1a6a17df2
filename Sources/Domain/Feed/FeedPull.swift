/// A feed's rules for following ingest's change log: when to fetch, which reply counts, and when the list is stale.
///
/// A pure state machine without sockets or clock. A shell decodes the replies, calls a method, and performs the effects
/// in their order: `ChangeClient` in production, `Simulation` in the tests. Times are milliseconds of a monotonic
/// clock.
package struct FeedPull: Sendable {
  /// Ingest's reply to a fetch.
  package enum Reply: Sendable {
    /// The whole list. The entries are nil if the protocol forbids one of them.
    case snapshot(seq: UInt64, [FeedEntry]?, hash: UInt64)
    /// Changes by ascending `seq`. The changes are nil if the protocol forbids one of them. `hash` is the hash of
    /// ingest's list after the changes, or nil if more changes wait.
    case changes([FeedChange]?, hash: UInt64?)
    /// Ingest refuses the fetch.
    case refusal(code: String, detail: String)
    /// A reply of a later minor version.
    case unknown
  }

  /// An event for the operator's log.
  package enum Event: Sendable, Equatable {
    case listReceived(seq: UInt64, entries: Int)
    /// Ingest has refused a fetch.
    case fetchRefused(code: String, detail: String)
    /// The feed has refused a reply. The same fetch would bring the same reply, so the feed pauses.
    case replyRefused(reason: String)
    /// Ingest has an earlier list, or a different one, under the same epoch. `had` and `now` are the sequence numbers
    /// of the feed's list and of ingest's.
    case regressed(had: UInt64, now: UInt64)
    /// Ingest was silent for `Limits.livenessMs`.
    case stale
    /// The list is fresh again, after it was stale.
    case fresh
  }

  /// An action for the shell.
  package enum Effect: Sendable, Equatable {
    /// Open a new connection, to the next address if there are several.
    case reconnect
    /// Leave this ingest if there are other addresses, because it refuses fetches or sends unusable replies. Otherwise
    /// the feed fetches again after `Limits.livenessMs`.
    case leave
    /// Fetch the changes after a list, or the whole list if `after` is nil. If the request cannot be sent, the shell
    /// calls `fetchFailed`.
    case fetch(id: UInt64, after: FeedState?)
    /// Ingest's reply was valid.
    case validReply
    /// A whole list from ingest has replaced the feed's list.
    case replaced(FeedState)
    /// Changes have been applied. The effect has the changes, their delta, and the list after them.
    case changed([FeedChange], FeedDelta, FeedState)
    /// The list has become stale (true) or fresh again (false).
    case turnedStale(Bool)
    /// Log an event.
    case log(Event)
  }

  /// The current list. Nil before the first one.
  package private(set) var state: FeedState?
  /// True if ingest has sent no valid reply for `Limits.livenessMs`, or none at all.
  private var isStale = true
  /// True once the list has been fresh. The log omits the first time, which is not a recovery.
  private var hasBeenFresh = false
  /// Time of the last valid reply.
  private var validMs: Int64 = 0
  /// Number of the latest fetch.
  private var id: UInt64 = 0
  /// Time at which the open fetch was sent. Nil if none is open.
  private var fetchedMs: Int64?
  /// Earliest time of the next fetch.
  private var pausedUntilMs: Int64 = 0
  private var lastReceivedMs: Int64

  /// - Parameter snapshot: List from before a restart, so that the feed fetches only the changes after it. Nil if there
  ///   is none.
  package init(snapshot: FeedState? = nil, nowMs: Int64) {
    state = snapshot
    lastReceivedMs = nowMs
  }

  /// Records an unreadable frame, which shows that ingest is alive.
  package mutating func recordActivity(nowMs: Int64) { lastReceivedMs = nowMs }

  /// Processes a reply, and returns the effects. A reply to an earlier fetch, or a second reply, changes nothing.
  package mutating func receive(_ reply: Reply, to id: UInt64, epoch: Epoch, nowMs: Int64) -> [Effect] {
    lastReceivedMs = nowMs
    guard id == self.id, fetchedMs != nil else { return [] }
    fetchedMs = nil
    switch reply {
    case .snapshot(let seq, let entries, let hash): return replace(epoch, seq, entries, hash: hash, nowMs: nowMs)
    case .changes(let changes, let hash): return apply(changes, hash: hash, of: epoch, nowMs: nowMs)
    case .refusal(let code, let detail): return [.log(.fetchRefused(code: code, detail: detail))] + pause(nowMs: nowMs)
    case .unknown: return refuse("a reply of an unknown kind", nowMs: nowMs)
    }
  }

  /// Pauses, because the reply came from an earlier start of ingest than one that the feed has seen.
  package mutating func refuseStart(nowMs: Int64) {
    fetchedMs = nil
    _ = pause(nowMs: nowMs)
  }

  /// Fetches nothing until a time, because the feed has left its address. Then call `connected`.
  package mutating func pause(untilMs: Int64) { (fetchedMs, pausedUntilMs, lastReceivedMs) = (nil, untilMs, untilMs) }

  /// Records a connection to another address. The pause after a refusal belongs to the earlier address.
  package mutating func connected(nowMs: Int64) { (fetchedMs, pausedUntilMs, lastReceivedMs) = (nil, nowMs, nowMs) }

  /// Ends the open fetch, because the shell could not send it. The next fetch follows after `Limits.linkRetryMs`.
  package mutating func fetchFailed() { fetchedMs = nil }

  /// Returns the effects that are due: a reconnect, a fetch, or a list that turns stale.
  package mutating func tick(nowMs: Int64) -> [Effect] {
    var effects: [Effect] = []
    if nowMs - lastReceivedMs > Limits.livenessMs {
      lastReceivedMs = nowMs
      fetchedMs = nil
      effects.append(.reconnect)
    }
    // Ingest replies within `Limits.fetchWaitMs`. After the timeout, the fetch or its reply counts as lost.
    if let fetchedMs, nowMs - fetchedMs > Limits.fetchTimeoutMs { self.fetchedMs = nil }
    if fetchedMs == nil, nowMs >= pausedUntilMs {
      id += 1
      fetchedMs = nowMs
      effects.append(.fetch(id: id, after: state))
    }
    if !isStale, nowMs - validMs > Limits.livenessMs { effects += [.log(.stale)] + setStale(stale: true) }
    return effects
  }

  /// Returns the time of the next call of `tick`.
  package func nextMs(nowMs: Int64) -> Int64 {
    let fetchMs =
      fetchedMs.map { $0 + Limits.fetchTimeoutMs + 1 }
      ?? (nowMs < pausedUntilMs ? pausedUntilMs : nowMs + Limits.linkRetryMs)
    let nextMs = min(fetchMs, lastReceivedMs + Limits.livenessMs + 1)
    return isStale ? nextMs : min(nextMs, validMs + Limits.livenessMs + 1)
  }

  private mutating func replace(
    _ epoch: Epoch, _ seq: UInt64, _ entries: [FeedEntry]?, hash: UInt64, nowMs: Int64
  ) -> [Effect] {
    guard let entries else { return refuse("a list with a forbidden field", nowMs: nowMs) }
    let new = FeedState(epoch: epoch, seq: seq, entries: entries)
    guard new.hash == hash else { return refuse("a list that does not match its hash", nowMs: nowMs) }
    if let state, state.epoch == epoch, new.seq < state.seq { return regressed(to: new.seq, nowMs: nowMs) }
    state = new
    validMs = nowMs
    // Mark the list fresh after publishing it. Otherwise subscribers would see the earlier list marked fresh.
    return [.log(.listReceived(seq: seq, entries: new.entries.count)), .validReply, .replaced(new)]
      + setStale(stale: false)
  }

  private mutating func apply(_ changes: [FeedChange]?, hash: UInt64?, of epoch: Epoch, nowMs: Int64) -> [Effect] {
    guard let changes, var new = state, epoch == new.epoch, changes.first?.seq ?? .max > new.seq,
      zip(changes, changes.dropFirst()).allSatisfy({ $0.seq < $1.seq })
    else { return refuse("changes with a forbidden field, of another epoch or out of order", nowMs: nowMs) }
    let delta = new.apply(changes)
    if let hash, hash != new.hash { return regressed(to: new.seq, nowMs: nowMs) }
    validMs = nowMs
    state = new
    var effects: [Effect] = [.validReply]
    if !changes.isEmpty { effects.append(.changed(changes, delta, new)) }
    // After a full reply more changes may wait.
    if changes.count < Limits.changesPerFetchMax { effects += setStale(stale: false) }
    return effects
  }

  private mutating func setStale(stale: Bool) -> [Effect] {
    guard stale != isStale else { return [] }
    isStale = stale
    guard !stale else { return [.turnedStale(true)] }
    defer { hasBeenFresh = true }
    return hasBeenFresh ? [.turnedStale(false), .log(.fresh)] : [.turnedStale(false)]
  }

  private mutating func refuse(_ reason: String, nowMs: Int64) -> [Effect] {
    [.log(.replyRefused(reason: reason))] + pause(nowMs: nowMs)
  }

  /// Handles a regressed store, which may reuse sequence numbers under the same epoch. Subscribers have seen the feed's
  /// list, so the feed keeps that list and marks it stale.
  private mutating func regressed(to seq: UInt64, nowMs: Int64) -> [Effect] {
    [.log(.regressed(had: state?.seq ?? 0, now: seq))] + setStale(stale: true) + pause(nowMs: nowMs)
  }

  /// Pauses all fetches. During the pause ingest has nothing to reply to, so its silence does not count.
  private mutating func pause(nowMs: Int64) -> [Effect] {
    pausedUntilMs = nowMs + Limits.livenessMs
    lastReceivedMs = pausedUntilMs
    return [.leave]
  }
}
