import Domain
import HTTPTypes
import Store
import Synchronization
import Web

/// Rate limiter for login attempts, backed by the store. Any thread.
final class LoginGuard: Sendable {
  /// An attempt in progress. End it with `succeeded`, `failed` or `cancelled`.
  struct Attempt: Sendable {
    fileprivate let keys: [LoginThrottle.Key]
  }

  private let database: any LoginStore
  private let throttle: Mutex<LoginThrottle>
  private let unixMs: @Sendable () -> Int64

  /// Loads the counts. Blocks on the disk.
  ///
  /// - Parameter unixMs: Returns the time in milliseconds since 1970, UTC.
  init(database: any LoginStore, unixMs: @escaping @Sendable () -> Int64) throws {
    self.database = database
    self.unixMs = unixMs
    throttle = Mutex(LoginThrottle(try database.loginCounts(unixMs: unixMs())))
  }

  /// Account and network of a login attempt.
  struct Target: Sendable {
    fileprivate let addressKeys: [LoginThrottle.Key]
    fileprivate let accountKey: LoginThrottle.Key
    /// True if the network has a session of the account.
    let isKnown: Bool
  }

  /// Returns the target of an attempt.
  ///
  /// - Parameter email: The address in lower case. The result does not reveal whether it has an account.
  func target(email: String, from source: LoginSource) async throws -> Target {
    let network = source.address?.network
    let networkText = network?.description ?? ""
    let known = try await database.addresses(email: email, unixMs: unixMs())
    return Target(
      addressKeys: [
        LoginGuard.key(.accountAndNetwork, email + "\n" + networkText), LoginGuard.key(.network, networkText),
      ], accountKey: LoginGuard.key(.account, email), isKnown: known.contains { $0.network == network })
  }

  /// Refuses an attempt that comes too early. Counts nothing. Call this before the wait for a hash.
  ///
  /// - Throws: A problem with the seconds to wait.
  func check(_ target: Target) throws { _ = try keys(of: target) { _, _ in } }

  /// Counts an attempt as failed until the attempt ends. Call this when the computation of its hash begins. An earlier
  /// call would count many concurrent logins of one network as wrong passwords.
  ///
  /// - Throws: A problem with the seconds to wait.
  func begin(_ target: Target) throws -> Attempt {
    Attempt(keys: try keys(of: target) { throttle, keys in throttle.count(keys, nowMs: unixMs()) })
  }

  /// Refuses a request from a network that probed too many email addresses for accounts.
  ///
  /// - Throws: A problem with the seconds to wait.
  func check(_ source: LoginSource) throws {
    let keys = [LoginGuard.key(.network, source.address?.network.description ?? "")]
    let pauseMs = throttle.withLock { $0.pauseMs(keys, nowMs: unixMs()) }
    guard pauseMs == 0 else { throw Problem.tooManyLogins(pauseMs: pauseMs) }
  }

  /// Counts an attempt whose account only the provider knows, as failed until the attempt ends.
  ///
  /// - Throws: A problem with the seconds to wait.
  func begin(from source: LoginSource) throws -> Attempt { Attempt(keys: try count(source)) }

  /// Counts a request for an email address that already has an account, like a wrong password from the same network.
  /// The request is a sign-up or a change of address.
  ///
  /// - Throws: A problem with the seconds to wait. The request does not count then.
  func countEmailTaken(_ source: LoginSource) throws { failed(Attempt(keys: try count(source))) }

  private func count(_ source: LoginSource) throws -> [LoginThrottle.Key] {
    let keys = [LoginGuard.key(.network, source.address?.network.description ?? "")]
    let pauseMs = throttle.withLock { throttle in
      let nowMs = unixMs()
      let pauseMs = throttle.pauseMs(keys, nowMs: nowMs)
      if pauseMs == 0 { throttle.count(keys, nowMs: nowMs) }
      return pauseMs
    }
    guard pauseMs == 0 else { throw Problem.tooManyLogins(pauseMs: pauseMs) }
    return keys
  }

  /// Records a wrong password. The attempt remains counted.
  func failed(_ attempt: Attempt) {
    database.storeLoginCounts(
      throttle.withLock { $0.countsToPersist(attempt.keys) }, removing: [], unixMs: unixMs())
  }

  func succeeded(_ attempt: Attempt) {
    let (before, after) = throttle.withLock { throttle in
      let before = throttle.countsToPersist(attempt.keys)
      throttle.refund(attempt.keys, wasRight: true)
      return (before, throttle.countsToPersist(attempt.keys))
    }
    database.storeLoginCounts(
      after.filter { $0.key.scope == .network }, removing: before.keys.filter { after[$0] == nil },
      unixMs: unixMs())
  }

  /// Refunds an attempt whose password was not compared.
  func cancelled(_ attempt: Attempt) { throttle.withLock { $0.refund(attempt.keys, wasRight: false) } }

  /// Returns the keys of the counts that admit the attempt. On a network with a session of the account, the account's
  /// own count does not matter. Wrong passwords from other networks therefore cannot lock the owner out.
  private func keys(
    of target: Target, then: (inout LoginThrottle, [LoginThrottle.Key]) -> Void
  ) throws -> [LoginThrottle.Key] {
    let choices = [target.addressKeys + [target.accountKey]] + (target.isKnown ? [target.addressKeys] : [])
    let (pauseMs, keys) = throttle.withLock { throttle in
      var pauseMs: Int64 = 0
      for keys in choices {
        pauseMs = throttle.pauseMs(keys, nowMs: unixMs())
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
  /// Creates the problem of a refused attempt. The problem is the same whether or not the account exists.
  fileprivate static func tooManyLogins(pauseMs: Int64) -> Problem {
    let seconds = Int(secondsOf: pauseMs)
    return Problem(
      .tooManyRequests, "too_many_logins",
      "too many wrong passwords for this account, or from your network; try again in \(seconds) s",
      retryAfterSeconds: seconds)
  }
}
