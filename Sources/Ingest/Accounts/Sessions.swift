import Domain
import Store
import Synchronization

/// Sessions of accounts. Clients hold random tokens, the store holds their hashes, and memory caches recent sessions.
final class Sessions: Sendable {
  private struct State: Sendable {
    var cached: [[UInt8]: Session] = [:]
    /// Number of invalidations. A session that was read before an invalidation must not be cached after the
    /// invalidation.
    var invalidations = 0
  }

  private let database: any LoginStore
  private let state = Mutex(State())

  /// Creates the cache and follows the store's changes. The cache drops sessions that have ended and sessions of
  /// changed accounts.
  init(database: any LoginStore) {
    self.database = database
    database.changes.observe { [weak self] change in
      switch change {
      case .account(let account): self?.forget(account)
      case .session(let tokenHash): self?.forget(tokenHash)
      case .list, .unlisted, .settled, .paused: break
      }
    }
  }

  /// Begins a session. The session is durable on return.
  ///
  /// - Parameter passwordHash: The hash with which the password was compared. Nil for a login without a password.
  /// - Returns: The token, which is stored nowhere, and the session. Nil if the account is disabled or its password has
  ///   changed.
  func begin(
    _ account: Account, passwordHash: String? = nil, from source: LoginSource, unixMs: Int64
  ) async throws -> (token: String, session: Session)? {
    let token = Secrets.token()
    let expiresMs = unixMs + Int64(Limits.sessionDays) * 86_400_000
    let hash = Secrets.hash(token)
    let hasBegun = try await database.addSession(
      tokenHash: hash, account: account.id, passwordHash: passwordHash, source: source, unixMs: unixMs,
      expiresMs: expiresMs)
    guard hasBegun else { return nil }
    let id = SessionID(tokenHash: hash)
    return (token, Session(id: id, account: account, createdMs: unixMs, expiresMs: expiresMs, source: source))
  }

  /// Returns the session of a token if memory has it. Nil if the store must be asked. Never waits.
  func cachedSession(token: String, unixMs: Int64) -> Session? {
    let hash = Secrets.hash(token)
    return state.withLock { $0.cached[hash] }.flatMap { $0.expiresMs > unixMs ? $0 : nil }
  }

  /// Returns the session of a token. Nil if the token is invalid or the session has ended.
  func session(token: String, unixMs: Int64) async throws -> Session? {
    let hash = Secrets.hash(token)
    let (cached, invalidations) = state.withLock { ($0.cached[hash], $0.invalidations) }
    if let cached { return cached.expiresMs > unixMs ? cached : nil }
    guard let stored = try await database.session(tokenHash: hash), stored.expiresMs > unixMs else { return nil }
    state.withLock { state in
      guard state.invalidations == invalidations else { return }
      // A full cache is cleared: sessions in use return with their next request.
      if state.cached.count >= Limits.sessionsCachedMax { state.cached.removeAll(keepingCapacity: true) }
      state.cached[hash] = stored
    }
    return stored
  }

  /// Ends one of an account's sessions by its id. The end is durable on return. Returns false if the account has no
  /// such session.
  func end(_ id: SessionID, of account: AccountID) async throws -> Bool {
    try await database.endSessions(.one(id, of: account))
  }

  /// Ends an account's sessions. The end is durable on return.
  ///
  /// - Parameter token: Token of the session that remains. Nil ends all.
  func endAll(of account: AccountID, except token: String? = nil) async throws {
    _ = try await database.endSessions(.all(of: account, except: token.map(Secrets.hash)))
  }

  /// Ends a session by its token. The end is durable on return.
  func end(token: String) async throws {
    _ = try await database.endSessions(.token(hash: Secrets.hash(token)))
  }

  private func forget(_ account: AccountID) {
    state.withLock { state in
      state.cached = state.cached.filter { $0.value.account.id != account }
      state.invalidations += 1
    }
  }

  private func forget(_ tokenHash: [UInt8]) {
    state.withLock { state in
      state.cached[tokenHash] = nil
      state.invalidations += 1
    }
  }
}
