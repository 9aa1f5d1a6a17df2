/// Rate limiter for new accounts by network: `Limits.signUpsOfNetworkMax` at once, then one for each
/// `Limits.signUpIntervalMs`. A pure state machine: the caller supplies the time, in milliseconds of a clock that never
/// goes back.
package struct SignUpRates: Sendable {
  /// Time when each network has its full allowance again: the newer half, and the older one, which is forgotten when
  /// the newer one is full.
  private var newer: [IPAddress?: Int64] = [:]
  private var older: [IPAddress?: Int64] = [:]

  package init() {}

  /// Number of networks that are remembered: `Limits.signUpNetworksMax` at most.
  var count: Int { newer.count + older.count }

  /// Counts a new account.
  ///
  /// - Parameter network: an IPv4 address or an IPv6 /64; nil where it is not known.
  /// - Returns: 0, or the milliseconds to wait; nothing is counted then.
  package mutating func take(_ network: IPAddress?, nowMs: Int64) -> Int64 {
    let fullMs = max(nowMs, newer[network] ?? older[network] ?? nowMs) + Limits.signUpIntervalMs
    let pauseMs = fullMs - nowMs - Int64(Limits.signUpsOfNetworkMax) * Limits.signUpIntervalMs
    guard pauseMs <= 0 else { return pauseMs }
    set(fullMs, for: network)
    return 0
  }

  /// Takes back a sign-up that made no account.
  package mutating func giveBack(_ network: IPAddress?) {
    guard let fullMs = newer[network] ?? older[network] else { return }
    set(fullMs - Limits.signUpIntervalMs, for: network)
  }

  private mutating func set(_ fullMs: Int64, for network: IPAddress?) {
    older[network] = nil
    newer[network] = fullMs
    guard newer.count > Limits.signUpNetworksMax / 2 else { return }
    older = newer
    newer = [:]
  }
}
