/// A circuit breaker: closed while the server responds, and open for a time after the server fails. After that time one
/// probe decides. A pure state machine; times are milliseconds of a monotonic clock.
struct CircuitBreaker: Sendable {
  /// Permission for one request. End each permit with `succeed`, `fail`, `block` or `release`.
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
  /// Number of the current period. Each change of state starts a new period. The breaker ignores outcomes of requests
  /// of earlier periods.
  private var period = 0
  /// The latest outcomes, oldest first: true for a failure.
  private var latest: [Bool] = []
  private var inARow = 0
  private var openMs = RemoteLimits.openMs

  /// Returns a permit for one request. Nil while the breaker is open and while a probe is in progress.
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

  /// Returns true if no request is permitted at this time.
  func isOpen(nowMs: Int64) -> Bool {
    switch state {
    case .closed: false
    case .open(let untilMs): nowMs < untilMs
    case .probing: true
    }
  }

  /// Records that the server responded.
  mutating func succeed(_ permit: Permit) {
    guard permit.period == period else { return }
    if permit.isProbe { close() } else { note(failed: false) }
  }

  /// Records that the server failed.
  ///
  /// - Returns: True if this failure opened the breaker.
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

  /// Opens the breaker for `RemoteLimits.blockedMs` because the server refuses this client.
  mutating func block(_ permit: Permit, nowMs: Int64) {
    // An open period that ends later than this block remains.
    if case .open(let untilMs) = state, untilMs >= nowMs + RemoteLimits.blockedMs { return }
    open(untilMs: nowMs + RemoteLimits.blockedMs)
  }

  /// Gives back an unused permit. If the permit was the probe's, the next request may be a probe.
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
