import HTTPTypes
import Link
import OnTheMap
import Store
import Synchronization
import Web

/// Holds those up who try one password after the other. Any thread.
final class LoginTries: Sendable {
  /// One that is made: it ends as right, as wrong, or as none.
  struct Try: Sendable {
    fileprivate let keys: [LoginThrottle.Key]
  }

  private let database: IngestDatabase
  private let throttle: Mutex<LoginThrottle>

  /// Waits for the disk.
  init(database: IngestDatabase) throws {
    self.database = database
    throttle = Mutex(LoginThrottle(try database.loginCounts(unixMs: WallClock.unixMs)))
  }

  /// Counts a try, as a wrong one until it ends.
  ///
  /// - Parameter email: in lower case, whether or not there is such an account: nobody learns that here.
  /// - Throws: a problem with the seconds to wait.
  func begin(email: String, from source: LoginSource) async throws -> Try {
    let network = source.address?.network.description ?? ""
    let ofAddress = [
      LoginTries.key(.accountAndAddress, email + "\n" + network), LoginTries.key(.address, network),
    ]
    let all = ofAddress + [LoginTries.key(.account, email)]
    var (pauseMs, tried) = begin(all)
    if tried == nil,
      try await database.addresses(email: email, unixMs: WallClock.unixMs)
        .contains(where: { $0.network == source.address?.network })
    {
      // Strangers cannot keep somebody out of what he is logged in to.
      (pauseMs, tried) = begin(ofAddress)
    }
    guard let tried else { throw Problem.tooManyLogins(pauseMs: pauseMs) }
    return tried
  }

  /// Counts a try that is not at an account which is known.
  func begin(from source: LoginSource) throws -> Try {
    let (pauseMs, tried) = begin([LoginTries.key(.address, source.address?.network.description ?? "")])
    guard let tried else { throw Problem.tooManyLogins(pauseMs: pauseMs) }
    return tried
  }

  /// It was the wrong password: it stays counted.
  func wasWrong(_ tried: Try) { database.keep(throttle.withLock { $0.kept(tried.keys) }, unixMs: WallClock.unixMs) }

  func wasRight(_ tried: Try) {
    let before = throttle.withLock { throttle in
      defer { throttle.takeBack(tried.keys, wasRight: true) }
      return throttle.kept(tried.keys)
    }
    database.forget(before.keys.filter { $0.scope == .accountAndAddress })
  }

  /// Nobody knows: the password was not looked at.
  func wasNone(_ tried: Try) { throttle.withLock { $0.takeBack(tried.keys, wasRight: false) } }

  private func begin(_ keys: [LoginThrottle.Key]) -> (pauseMs: Int64, tried: Try?) {
    throttle.withLock { throttle in
      let nowMs = WallClock.unixMs
      let pauseMs = throttle.pauseMs(keys, nowMs: nowMs)
      guard pauseMs == 0 else { return (pauseMs, nil) }
      throttle.count(keys, nowMs: nowMs)
      return (0, Try(keys: keys))
    }
  }

  private static func key(_ scope: LoginThrottle.Scope, _ text: String) -> LoginThrottle.Key {
    LoginThrottle.Key(scope: scope, digest: Array(Secrets.hash(text).prefix(16)))
  }
}

extension Problem {
  /// The same for an account that is there, and for one that is not.
  fileprivate static func tooManyLogins(pauseMs: Int64) -> Problem {
    let seconds = Int((pauseMs + 999) / 1_000)
    return Problem(
      .tooManyRequests, "too_many_logins",
      "too many wrong passwords for this account, or from your network; try again in \(seconds) s",
      retryAfterSeconds: seconds)
  }
}
