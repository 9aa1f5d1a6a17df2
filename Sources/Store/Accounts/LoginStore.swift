package import Domain

/// Sessions, and counts of wrong passwords. Times are milliseconds since 1970, UTC.
package protocol LoginStore: ObservableStore {
  /// Stores a session, and removes some expired sessions. Durable on return.
  ///
  /// - Parameter passwordHash: Hash against which the password was checked. Nil for a login without a password.
  /// - Returns: false if the account may not log in, or has another password.
  /// - Throws: `StoreError`, also for a token that is in use.
  func addSession(
    tokenHash: [UInt8], account: AccountID, passwordHash: String?, source: LoginSource, unixMs: Int64, expiresMs: Int64
  ) async throws -> Bool

  /// Returns a session, which may be expired. Nil if there is none.
  func session(tokenHash: [UInt8]) async throws -> Session?

  /// Returns an account's sessions that have not expired, newest first, at most `Limits.sessionsShownMax`.
  func sessions(of account: AccountID, unixMs: Int64) async throws -> [Session]

  /// Ends sessions, and reports them. Durable on return.
  ///
  /// - Returns: false if there was no session to end.
  func endSessions(_ selection: SessionSelection) async throws -> Bool

  /// Returns the client addresses of the account's newest sessions that have not expired, at most
  /// `Limits.sessionsShownMax`.
  func addresses(email: String, unixMs: Int64) async throws -> [IPAddress]

  /// Returns the stored counts that have not expired, or the latest ones if there are too many. Blocks the calling
  /// thread for the disk. Call it at startup only.
  func loginCounts(unixMs: Int64) throws -> [LoginThrottle.Key: LoginThrottle.Count]

  /// Stores counts in place of earlier ones, and removes others. Returns immediately, and reports no error. If the
  /// latest counts are lost, a client has a few more attempts.
  func storeLoginCounts(
    _ counts: [LoginThrottle.Key: LoginThrottle.Count], removing removed: [LoginThrottle.Key], unixMs: Int64)
}

/// Selection of sessions to end.
package enum SessionSelection: Sendable {
  /// The session of a token.
  case token(hash: [UInt8])
  /// A session of an account.
  case one(SessionID, of: AccountID)
  /// All sessions of an account, except the session of this token. With nil, all.
  case all(of: AccountID, except: [UInt8]?)
}
