/// Rate limiter for login attempts. A pure state machine: the caller supplies the time and hashed identifiers.
///
/// Each attempt counts as a failure until the caller refunds it, so parallel attempts count too. After the free
/// attempts of a scope, each further attempt has to wait, and the pause doubles each time. The caller refuses an
/// attempt during a pause and does not count it, so a stranger cannot extend the pause.
package struct LoginThrottle: Sendable {
  /// Group of attempts that one count includes. An address is an IPv4 address or an IPv6 /64.
  package enum Scope: UInt8, Sendable, CaseIterable {
    /// Attempts at one account from one address. They are the owner's mistakes or an attacker's guesses.
    case accountAndNetwork = 1
    /// Attempts at any account from one address.
    case network = 2
    /// Attempts at one account from addresses where the account has no session.
    case account = 3

    /// Number of failed attempts before the first pause.
    package var freeAttempts: Int {
      switch self {
      case .accountAndNetwork: Limits.loginAttemptsFree
      case .network: Limits.loginAttemptsOfNetworkFree
      case .account: Limits.loginAttemptsOfAccountFree
      }
    }

    /// The longest pause, in milliseconds. The cap of `.account` is short, because strangers must not lock out the
    /// owner.
    package var pauseCapMs: Int64 {
      self == .account ? Limits.loginPauseOfAccountCapMs : Limits.loginPauseCapMs
    }
  }

  /// Key of one count.
  package struct Key: Sendable, Hashable {
    package let scope: Scope
    /// Digest of the identifiers in this scope. Equal identifiers have equal bytes.
    package let digest: [UInt8]

    package init(scope: Scope, digest: [UInt8]) {
      self.scope = scope
      self.digest = digest
    }
  }

  /// Number of failed attempts with one key, and the time of the last attempt.
  package struct Count: Sendable, Equatable {
    /// Number of failed attempts, 1 or more.
    package var attempts: Int
    /// Time of the last attempt, in milliseconds since 1970, UTC.
    package var lastMs: Int64

    package init(attempts: Int, lastMs: Int64) {
      self.attempts = attempts
      self.lastMs = lastMs
    }
  }

  /// Latest counts. When `newer` is full, it replaces `older`, which bounds memory. Keys that continue to fail stay.
  private var newer: [Key: Count] = [:]
  private var older: [Key: Count] = [:]

  /// - Parameter counts: Counts from before a restart.
  package init(_ counts: [Key: Count] = [:]) { older = counts }

  /// Number of stored counts, at most `Limits.loginCountsMax`.
  var counts: Int { newer.count + older.count }

  /// Returns the time to wait before an attempt with these keys, in milliseconds. 0 if the attempt may run now.
  package func pauseMs(_ keys: [Key], nowMs: Int64) -> Int64 {
    keys.map { key in
      guard let count = count(key, nowMs: nowMs) else { return 0 }
      let pause = LoginThrottle.pauseMs(after: count.attempts, key.scope)
      return min(pause, max(0, count.lastMs + pause - nowMs))
    }.max() ?? 0
  }

  /// Counts an attempt that starts now.
  package mutating func count(_ keys: [Key], nowMs: Int64) {
    for key in keys {
      let attempts = (count(key, nowMs: nowMs)?.attempts ?? 0) + 1
      set(Count(attempts: attempts, lastMs: nowMs), for: key)
    }
  }

  /// Refunds an attempt that was not a failure.
  ///
  /// - Parameter wasRight: True for a right password. The earlier failures at this account from this address were then
  ///   the owner's mistakes, and no longer count in the scopes `.accountAndNetwork` and `.network`. Failures at other
  ///   accounts still count in `.network`, because many people may share the network.
  package mutating func refund(_ keys: [Key], wasRight: Bool) {
    let own = keys.first { $0.scope == .accountAndNetwork }.flatMap { newer[$0] ?? older[$0] }
    let refunded = wasRight ? max(1, own?.attempts ?? 1) : 1
    for key in keys {
      guard var count = newer[key] ?? older[key] else { continue }
      count.attempts -= key.scope == .account ? 1 : refunded
      set(count.attempts <= 0 ? nil : count, for: key)
    }
  }

  /// Returns the counts that must survive a restart, because their next attempts have to wait.
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

  private static func pauseMs(after attempts: Int, _ scope: Scope) -> Int64 {
    let excess = attempts - scope.freeAttempts
    guard excess >= 0 else { return 0 }
    return min(Limits.loginPauseMs << Int64(min(excess, Limits.pauseDoublingsMax)), scope.pauseCapMs)
  }
}
