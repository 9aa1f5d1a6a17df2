import Domain
import HTTPTypes
import Messaging
import Store
import Synchronization
import Web

/// Holds those up who try one password after the other. Any thread.
final class LoginGuard: Sendable {
  /// One that is made: it ends as right, as wrong, or as none.
  struct Attempt: Sendable {
    fileprivate let keys: [LoginThrottle.Key]
  }

  private let database: any LoginStore
  private let throttle: Mutex<LoginThrottle>

  /// Waits for the disk.
  init(database: any LoginStore) throws {
    self.database = database
    throttle = Mutex(LoginThrottle(try database.loginCounts(unixMs: WallClock.unixMs)))
  }

  /// Account and network of a try to log in.
  struct Target: Sendable {
    fileprivate let ofAddress: [LoginThrottle.Key]
    fileprivate let account: LoginThrottle.Key
    /// True where the account is logged in from the network.
    let isKnown: Bool
  }

  /// - Parameter email: in lower case, whether or not there is such an account: nobody learns that here.
  func target(email: String, from source: LoginSource) async throws -> Target {
    let network = source.address?.network
    let text = network?.description ?? ""
    let known = try await database.addresses(email: email, unixMs: WallClock.unixMs)
    return Target(
      ofAddress: [LoginGuard.key(.accountAndAddress, email + "\n" + text), LoginGuard.key(.address, text)],
      account: LoginGuard.key(.account, email), isKnown: known.contains { $0.network == network })
  }

  /// Refuses a try that would come too early. It counts nothing: call this before the wait for a hash.
  ///
  /// - Throws: a problem with the seconds to wait.
  func check(_ target: Target) throws { _ = try keys(of: target) { _, _ in } }

  /// Counts a try, as a wrong one until it ends. Call this when its hash begins, so that many people of one network who
  /// log in at once are not taken for many wrong passwords.
  ///
  /// - Throws: a problem with the seconds to wait.
  func begin(_ target: Target) throws -> Attempt {
    Attempt(keys: try keys(of: target) { throttle, keys in throttle.count(keys, nowMs: WallClock.unixMs) })
  }

  /// Refuses a request of a network that asked too often for addresses that have an account.
  ///
  /// - Throws: a problem with the seconds to wait.
  func check(_ source: LoginSource) throws {
    let keys = [LoginGuard.key(.address, source.address?.network.description ?? "")]
    let pauseMs = throttle.withLock { $0.pauseMs(keys, nowMs: WallClock.unixMs) }
    guard pauseMs == 0 else { throw Problem.tooManyLogins(pauseMs: pauseMs) }
  }

  /// Counts a try at an account that is not known yet: a provider names it.
  ///
  /// - Throws: as `check`.
  func begin(from source: LoginSource) throws -> Attempt { Attempt(keys: try count(source)) }

  /// Counts a request for an address that has an account, as a wrong password of the network.
  ///
  /// - Throws: as `check`. Requests at the same time get no more answers than the free tries.
  func countEmailTaken(_ source: LoginSource) throws { failed(Attempt(keys: try count(source))) }

  private func count(_ source: LoginSource) throws -> [LoginThrottle.Key] {
    let keys = [LoginGuard.key(.address, source.address?.network.description ?? "")]
    let pauseMs = throttle.withLock { throttle in
      let nowMs = WallClock.unixMs
      let pauseMs = throttle.pauseMs(keys, nowMs: nowMs)
      if pauseMs == 0 { throttle.count(keys, nowMs: nowMs) }
      return pauseMs
    }
    guard pauseMs == 0 else { throw Problem.tooManyLogins(pauseMs: pauseMs) }
    return keys
  }

  /// It was the wrong password: it stays counted.
  func failed(_ tried: Attempt) {
    database.storeLoginCounts(throttle.withLock { $0.countsToPersist(tried.keys) }, removing: [], unixMs: WallClock.unixMs)
  }

  func succeeded(_ tried: Attempt) {
    let (before, after) = throttle.withLock { throttle in
      let before = throttle.countsToPersist(tried.keys)
      throttle.refund(tried.keys, wasRight: true)
      return (before, throttle.countsToPersist(tried.keys))
    }
    database.storeLoginCounts(
      after.filter { $0.key.scope == .address }, removing: before.keys.filter { after[$0] == nil },
      unixMs: WallClock.unixMs)
  }

  /// Nobody knows: the password was not looked at.
  func cancelled(_ tried: Attempt) { throttle.withLock { $0.refund(tried.keys, wasRight: false) } }

  /// Returns the counts that admit the try. Strangers cannot lock out a network where the account is logged in.
  private func keys(
    of target: Target, then: (inout LoginThrottle, [LoginThrottle.Key]) -> Void
  ) throws -> [LoginThrottle.Key] {
    let choices = [target.ofAddress + [target.account]] + (target.isKnown ? [target.ofAddress] : [])
    let (pauseMs, keys) = throttle.withLock { throttle in
      var pauseMs: Int64 = 0
      for keys in choices {
        pauseMs = throttle.pauseMs(keys, nowMs: WallClock.unixMs)
        guard pauseMs == 0 else { continue }
        then(&throttle, keys)
        return (pauseMs, keys)
      }
      return (pauseMs, [])
    }
    guard pauseMs == 0 else { throw Problem.tooManyLogins(pauseMs: pauseMs) }
    return keys
  }

  private static func key(_ scope: LoginThrottle.Scope, _ text: String) -> LoginThrottle.Key {
    LoginThrottle.Key(scope: scope, digest: Secrets.fingerprint(text))
  }
}

extension Problem {
  /// The same for an account that is there, and for one that is not.
  fileprivate static func tooManyLogins(pauseMs: Int64) -> Problem {
    let seconds = Int(secondsOf: pauseMs)
    return Problem(
      .tooManyRequests, "too_many_logins",
      "too many wrong passwords for this account, or from your network; try again in \(seconds) s",
      retryAfterSeconds: seconds)
  }
}
