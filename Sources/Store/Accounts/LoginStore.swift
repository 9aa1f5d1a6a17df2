package import Domain

/// Sessions, and counts of wrong passwords. Times are milliseconds since 1970, UTC.
package protocol LoginStore: ObservableStore {
  /// Stores a session, and removes some expired ones. Durable on return.
  ///
  /// - Parameter passwordHash: the hash that the password was compared with; nil without a password.
  /// - Returns: false if the account may not log in, or has another password.
  /// - Throws: `StoreError`, also for a token that is used.
  func addSession(
    tokenHash: [UInt8], account: AccountID, passwordHash: String?, source: LoginSource, unixMs: Int64, expiresMs: Int64
  ) async throws -> Bool

  /// Returns a session, which may be expired; nil if there is none.
  func session(tokenHash: [UInt8]) async throws -> Session?

  /// Returns an account's sessions that are not expired, the newest first; `Limits.sessionsShownMax` at most.
  func sessions(of account: AccountID, unixMs: Int64) async throws -> [Session]

  /// Ends sessions, and reports them. Durable on return.
  ///
  /// - Returns: false if there was none to end.
  func endSessions(_ selection: SessionSelection) async throws -> Bool

  /// Returns the addresses from which the account's newest sessions began that are not expired,
  /// `Limits.sessionsShownMax` at most.
  func addresses(email: String, unixMs: Int64) async throws -> [IPAddress]

  /// Returns the counts that are stored and not forgotten, the latest ones if there are too many. Waits for the disk,
  /// on the calling thread: for the start.
  func loginCounts(unixMs: Int64) throws -> [LoginThrottle.Key: LoginThrottle.Count]

  /// Stores counts in place of earlier ones, and removes others. Returns at once, and reports no error: if the latest
  /// counts are lost, a client has a few more tries.
  func storeLoginCounts(
    _ counts: [LoginThrottle.Key: LoginThrottle.Count], removing removed: [LoginThrottle.Key], unixMs: Int64)
}

/// Sessions to end.
package enum SessionSelection: Sendable {
  /// The session of a token.
  case token(hash: [UInt8])
  /// One of an account's sessions.
  case one(SessionID, of: AccountID)
  /// An account's sessions, but the one of this token; nil for all.
  case all(of: AccountID, except: [UInt8]?)
}
