/// Keeps from asking a server that does not answer: closed while it does, open for a time when it fails, and then one
/// probe decides. Without a clock; times are milliseconds of one that never goes back.
struct CircuitBreaker: Sendable {
  /// The permission to ask once. Each must be given back: with what came of it, or as unused.
  struct Permit: Sendable {
    fileprivate let period: Int
    fileprivate let isProbe: Bool
  }

  private enum State {
    case closed
    case open(untilMs: Int64)
    case probing
  }

  private var state = State.closed
  /// Counts changes of state: what was asked before one tells nothing about the server after it.
  private var period = 0
  /// The latest answers, the oldest first: whether each was a failure.
  private var latest: [Bool] = []
  private var inARow = 0
  private var openMs = RemoteLimits.openMs

  /// Nil while it is open, and while a probe is under way.
  mutating func admit(nowMs: Int64) -> Permit? {
    switch state {
    case .closed: return Permit(period: period, isProbe: false)
    case .open(let untilMs) where nowMs >= untilMs:
      state = .probing
      period += 1
      return Permit(period: period, isProbe: true)
    case .open, .probing: return nil
    }
  }

  /// Whether nothing may be asked at this time.
  func isOpen(nowMs: Int64) -> Bool {
    switch state {
    case .closed: false
    case .open(let untilMs): nowMs < untilMs
    case .probing: true
    }
  }

  /// The server answered.
  mutating func succeed(_ permit: Permit) {
    guard permit.period == period else { return }
    if permit.isProbe { close() } else { note(failed: false) }
  }

  /// The server failed.
  ///
  /// - Returns: whether this opened it.
  @discardableResult
  mutating func fail(_ permit: Permit, nowMs: Int64) -> Bool {
    guard permit.period == period else { return false }
    if permit.isProbe {
      openMs = min(2 * openMs, RemoteLimits.openMaxMs)
    } else {
      note(failed: true)
      let failures = latest.count { $0 }
      guard
        inARow >= RemoteLimits.failuresInARow
          || latest.count == RemoteLimits.breakerWindow && 2 * failures > RemoteLimits.breakerWindow
      else { return false }
    }
    open(untilMs: nowMs + openMs)
    return true
  }

  /// The server will not have us.
  mutating func block(_ permit: Permit, nowMs: Int64) {
    // Whoever was told first counts; but a block outlasts what else has opened it meanwhile.
    if case .open(let untilMs) = state, untilMs >= nowMs + RemoteLimits.blockedMs { return }
    open(untilMs: nowMs + RemoteLimits.blockedMs)
  }

  /// Nothing was asked after all: the next may.
  mutating func release(_ permit: Permit, nowMs: Int64) {
    guard permit.period == period, permit.isProbe else { return }
    open(untilMs: nowMs)
  }

  private mutating func note(failed: Bool) {
    inARow = failed ? inARow + 1 : 0
    latest.append(failed)
    if latest.count > RemoteLimits.breakerWindow { latest.removeFirst() }
  }

  private mutating func open(untilMs: Int64) {
    state = .open(untilMs: untilMs)
    period += 1
    (latest, inARow) = ([], 0)
  }

  private mutating func close() {
    state = .closed
    period += 1
    (latest, inARow, openMs) = ([], 0, RemoteLimits.openMs)
  }
}
