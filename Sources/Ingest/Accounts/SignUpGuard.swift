import Domain
import HTTPTypes
import Messaging
import Synchronization
import Web

/// Rate limiter for new accounts by network: a burst of `Limits.signUpsOfNetworkMax` accounts, then one per
/// `Limits.signUpIntervalMs`. Counts are in memory, so a restart clears them. Any thread.
final class SignUpGuard: Sendable {
  /// The limiter of networks: IPv4 addresses, IPv6 /64, or nil for an unknown address.
  private let rates = Mutex(
    KeyedRateLimiter<IPAddress?>(
      TokenBucket(tokens: 1, periodMs: Limits.signUpIntervalMs, capacity: Limits.signUpsOfNetworkMax),
      keysMax: Limits.signUpNetworksMax))

  /// Counts a new account.
  ///
  /// - Throws: A problem with the seconds to wait.
  func consume(_ source: LoginSource) throws {
    let pauseMs = rates.withLock { $0.consume(source.address?.network, nowMs: Reactor.nowMs) }
    guard pauseMs == 0 else { throw Problem.tooManySignUps(pauseMs: pauseMs) }
  }

  /// Refunds a sign-up that created no account.
  func refund(_ source: LoginSource) { rates.withLock { $0.refund(source.address?.network) } }
}

extension Problem {
  fileprivate static func tooManySignUps(pauseMs: Int64) -> Problem {
    let seconds = Int(secondsOf: pauseMs)
    return Problem(
      .tooManyRequests, "too_many_sign_ups",
      "too many new accounts from your network; no account was created, try again in \(seconds) s",
      retryAfterSeconds: seconds)
  }
}
