/// How often somebody may try to log in. A state machine: the caller has the clock, and hashes what identifies people.
///
/// Each try counts as a wrong one until it turns out right, so that many at once count too. From a scope's number of
/// free tries on there is a pause before the next, twice as long each time. A try that comes too early is refused and
/// does not count: nobody can keep the pause from ending.
package struct LoginThrottle: Sendable {
  /// Whose tries are counted together.
  package enum Scope: UInt8, Sendable, CaseIterable {
    /// Of one account from one address: whoever has forgotten a password, and whoever guesses.
    case accountAndAddress = 1
    /// Of one address at any account.
    case address = 2
    /// Of one account from addresses that it is not logged in from.
    case account = 3

    /// Wrong tries without a pause.
    package var freeAttempts: Int {
      switch self {
      case .accountAndAddress: Limits.loginAttemptsFree
      case .address: Limits.loginAttemptsOfAddressFree
      case .account: Limits.loginAttemptsOfAccountFree
      }
    }

    /// The longest pause. An account's is short: strangers must not lock out whom it belongs to.
    package var pauseCapMs: Int64 {
      self == .account ? Limits.loginPauseOfAccountCapMs : Limits.loginPauseCapMs
    }
  }

  /// One count.
  package struct Key: Sendable, Hashable {
    package let scope: Scope
    /// Of what is counted together; the same bytes always mean the same.
    package let digest: [UInt8]

    package init(scope: Scope, digest: [UInt8]) {
      self.scope = scope
      self.digest = digest
    }
  }

  /// Wrong tries so far, and when the last was.
  package struct Count: Sendable, Equatable {
    /// 1 or more.
    package var attempts: Int
    /// Milliseconds since 1970, UTC.
    package var lastMs: Int64

    package init(tries: Int, lastMs: Int64) {
      self.attempts = tries
      self.lastMs = lastMs
    }
  }

  /// The newer half, and the older one, which goes when the newer one is full: so memory is bounded, and who tries
  /// again is remembered.
  private var newer: [Key: Count] = [:]
  private var older: [Key: Count] = [:]

  /// - Parameter counts: of before a restart.
  package init(_ counts: [Key: Count] = [:]) { older = counts }

  /// How many are remembered: `Limits.loginCountsMax` at most.
  var counts: Int { newer.count + older.count }

  /// How long to wait before a try; 0 where it may be made now.
  package func pauseMs(_ keys: [Key], nowMs: Int64) -> Int64 {
    keys.map { key in
      guard let count = count(key, nowMs: nowMs) else { return 0 }
      let pause = LoginThrottle.pauseMs(after: count.attempts, key.scope)
      return min(pause, max(0, count.lastMs + pause - nowMs))
    }.max() ?? 0
  }

  /// A try that is made now.
  package mutating func count(_ keys: [Key], nowMs: Int64) {
    for key in keys {
      let tries = (count(key, nowMs: nowMs)?.attempts ?? 0) + 1
      set(Count(tries: tries, lastMs: nowMs), for: key)
    }
  }

  /// Takes back a try that was not wrong. The right password also ends the count of its account from its address, and
  /// takes those tries off the address's count: they were its owner's slips, and many people may share the address.
  package mutating func refund(_ keys: [Key], wasRight: Bool) {
    let own = keys.first { $0.scope == .accountAndAddress }.flatMap { newer[$0] ?? older[$0] }
    let slips = wasRight ? max(1, own?.attempts ?? 1) : 1
    for key in keys {
      guard var count = newer[key] ?? older[key] else { continue }
      count.attempts -= key.scope == .account ? 1 : slips
      set(count.attempts <= 0 ? nil : count, for: key)
    }
  }

  /// Those of the keys that are worth to be kept over a restart: from now on there is a pause.
  package func countsToPersist(_ keys: [Key]) -> [Key: Count] {
    var kept: [Key: Count] = [:]
    for key in keys {
      if let count = newer[key], count.attempts >= key.scope.freeAttempts { kept[key] = count }
    }
    return kept
  }

  private func count(_ key: Key, nowMs: Int64) -> Count? {
    guard let count = newer[key] ?? older[key], nowMs - count.lastMs < Limits.loginAttemptsExpiryMs else { return nil }
    return count
  }

  private mutating func set(_ count: Count?, for key: Key) {
    older[key] = nil
    newer[key] = count
    guard newer.count > Limits.loginCountsMax / 2 else { return }
    older = newer
    newer = [:]
  }

  private static func pauseMs(after tries: Int, _ scope: Scope) -> Int64 {
    let paused = tries - scope.freeAttempts
    guard paused >= 0 else { return 0 }
    return min(Limits.loginPauseMs << Int64(min(paused, Limits.pauseDoublingsMax)), scope.pauseCapMs)
  }
}
