/// A feed's rules for following ingest's change log: when to fetch, which answer counts, and when the list is stale.
///
/// A pure state machine without sockets or clock. A shell decodes what comes, calls a method, and performs the effects
/// in their order: `ChangeClient` in production, `Simulation` in the tests. Times are milliseconds of a clock that
/// never goes back.
package struct FeedPull: Sendable {
  /// An answer of ingest to a fetch.
  package enum Reply: Sendable {
    /// The whole list; nil if the protocol forbids one of its entries.
    case list(seq: UInt64, [FeedEntry]?, hash: UInt64)
    /// Changes by rising `seq`; nil if the protocol forbids one of them. The hash is that of ingest's list after them;
    /// nil if more of them wait.
    case changes([FeedChange]?, hash: UInt64?)
    /// Ingest refuses the fetch.
    case refusal(code: String, detail: String)
    /// An answer of a later minor version.
    case unknown
  }

  /// An event for the operator's log.
  package enum Event: Sendable, Equatable {
    case listReceived(seq: UInt64, entries: Int)
    /// Ingest has refused a fetch.
    case refused(code: String, detail: String)
    /// The feed has refused an answer. The same fetch would bring the same answer, so the feed pauses.
    case rejected(reason: String)
    /// Ingest has an earlier list, or another one, under the same epoch.
    case regressed(had: UInt64, now: UInt64)
    /// Ingest was silent for `Limits.livenessMs`.
    case stale
  }

  /// An action for the shell.
  package enum Effect: Sendable, Equatable {
    /// A new connection.
    case reconnect
    /// A fetch of what follows a list; nil for the whole list. If it cannot be sent, the shell calls `fetchFailed`.
    case fetch(id: UInt64, after: FeedState?)
    /// An answer of ingest was valid.
    case validReply
    /// A whole list.
    case replaced(FeedState)
    /// The changes, the same as one delta, and the list after them.
    case changed([FeedChange], FeedDelta, FeedState)
    /// The list is stale, or no longer.
    case turnedStale(Bool)
    /// An event for the log.
    case log(Event)
  }

  /// The list; nil before the first one.
  package private(set) var state: FeedState?
  /// True if ingest has sent no valid answer for `Limits.livenessMs`, or none at all.
  private var isStale = true
  /// The time of the last valid answer.
  private var validMs: Int64 = 0
  /// The number of the latest fetch.
  private var id: UInt64 = 0
  /// The time of the open fetch; nil if none is open.
  private var fetchedMs: Int64?
  /// No fetch is sent before this.
  private var pausedUntilMs: Int64 = 0
  private var lastReceivedMs: Int64

  /// - Parameter kept: a list from before, whose changes ingest need not send again; nil for none.
  package init(snapshot: FeedState? = nil, nowMs: Int64) {
    state = snapshot
    lastReceivedMs = nowMs
  }

  /// Takes a frame that cannot be read: ingest lives.
  package mutating func recordActivity(nowMs: Int64) { lastReceivedMs = nowMs }

  /// Takes an answer. An answer to another fetch than the open one changes nothing: it came before a reconnection, or
  /// twice.
  package mutating func receive(_ answer: Reply, to id: UInt64, epoch: Epoch, nowMs: Int64) -> [Effect] {
    lastReceivedMs = nowMs
    guard id == self.id, fetchedMs != nil else { return [] }
    fetchedMs = nil
    switch answer {
    case .list(let seq, let entries, let hash): return replace(epoch, seq, entries, hash: hash, nowMs: nowMs)
    case .changes(let changes, let hash): return apply(changes, hash: hash, of: epoch, nowMs: nowMs)
    case .refusal(let code, let detail):
      pause(nowMs: nowMs)
      return [.log(.refused(code: code, detail: detail))]
    case .unknown: return reject("an answer of a kind that this version does not know", nowMs: nowMs)
    }
  }

  /// The fetch could not be sent. The next one follows after `Limits.linkRetryMs`.
  package mutating func fetchFailed() { fetchedMs = nil }

  /// Does what is due: a reconnection, a fetch, the turn to stale.
  package mutating func tick(nowMs: Int64) -> [Effect] {
    var effects: [Effect] = []
    if nowMs - lastReceivedMs > Limits.livenessMs {
      lastReceivedMs = nowMs
      fetchedMs = nil
      effects.append(.reconnect)
    }
    // Ingest answers within its wait: the fetch or its answer was lost with a connection.
    if let fetchedMs, nowMs - fetchedMs > Limits.fetchTimeoutMs { self.fetchedMs = nil }
    if fetchedMs == nil, nowMs >= pausedUntilMs {
      id += 1
      fetchedMs = nowMs
      effects.append(.fetch(id: id, after: state))
    }
    if !isStale, nowMs - validMs > Limits.livenessMs { effects += [.log(.stale)] + setStale(stale: true) }
    return effects
  }

  /// The time of the next call of `tick`.
  package func nextMs(nowMs: Int64) -> Int64 {
    let fetchMs =
      fetchedMs.map { $0 + Limits.fetchTimeoutMs + 1 } ?? (nowMs < pausedUntilMs ? pausedUntilMs : nowMs + Limits.linkRetryMs)
    let nextMs = min(fetchMs, lastReceivedMs + Limits.livenessMs + 1)
    return isStale ? nextMs : min(nextMs, validMs + Limits.livenessMs + 1)
  }

  private mutating func replace(
    _ epoch: Epoch, _ seq: UInt64, _ entries: [FeedEntry]?, hash: UInt64, nowMs: Int64
  ) -> [Effect] {
    guard let entries else { return reject("a list with a forbidden field", nowMs: nowMs) }
    let new = FeedState(epoch: epoch, seq: seq, entries: entries)
    guard new.hash == hash else { return reject("a list that its hash does not match", nowMs: nowMs) }
    if let state, state.epoch == epoch, new.seq < state.seq { return regressed(to: new.seq, nowMs: nowMs) }
    state = new
    validMs = nowMs
    // Fresh after the list: before it, subscribers would see the earlier list marked fresh.
    return [.log(.listReceived(seq: seq, entries: new.entries.count)), .validReply, .replaced(new)] + setStale(stale: false)
  }

  private mutating func apply(_ changes: [FeedChange]?, hash: UInt64?, of epoch: Epoch, nowMs: Int64) -> [Effect] {
    guard let changes, var new = state, epoch == new.epoch, changes.first?.seq ?? .max > new.seq,
      zip(changes, changes.dropFirst()).allSatisfy({ $0.seq < $1.seq })
    else { return reject("changes with a forbidden field, of another history or out of order", nowMs: nowMs) }
    let delta = new.apply(changes)
    if let hash, hash != new.hash { return regressed(to: new.seq, nowMs: nowMs) }
    validMs = nowMs
    state = new
    var effects: [Effect] = [.validReply]
    if !changes.isEmpty { effects.append(.changed(changes, delta, new)) }
    // A full answer: more changes may wait.
    if changes.count < Limits.changesPerFetchMax { effects += setStale(stale: false) }
    return effects
  }

  private mutating func setStale(stale: Bool) -> [Effect] {
    guard stale != isStale else { return [] }
    isStale = stale
    return [.turnedStale(stale)]
  }

  private mutating func reject(_ reason: String, nowMs: Int64) -> [Effect] {
    pause(nowMs: nowMs)
    return [.log(.rejected(reason: reason))]
  }

  /// The store has gone back under the same epoch, and perhaps on from there under numbers that were used before.
  /// Subscribers have seen another list, so the feed keeps its own and says that it is stale.
  private mutating func regressed(to seq: UInt64, nowMs: Int64) -> [Effect] {
    pause(nowMs: nowMs)
    return [.log(.regressed(had: state?.seq ?? 0, now: seq))] + setStale(stale: true)
  }

  /// Pauses. Ingest has nothing to answer meanwhile, so its silence does not count.
  private mutating func pause(nowMs: Int64) {
    pausedUntilMs = nowMs + Limits.livenessMs
    lastReceivedMs = pausedUntilMs
  }
}
