import Domain
import Store
import Synchronization

/// Sessions of accounts: random tokens outside, their hashes on disk, the recent ones in memory.
final class Sessions: Sendable {
  private struct State: Sendable {
    var cached: [[UInt8]: Session] = [:]
    /// Counts ends, so that a session read before its end is not remembered after it.
    var ends = 0
  }

  private let database: any LoginStore
  private let state = Mutex(State())

  /// Follows the store's changes from now on: what is remembered of a session that has ended, or of an account that has
  /// changed, is read anew.
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

  /// A new session. On disk on return.
  ///
  /// - Parameter passwordHash: what the password was compared with; nil where there was none.
  /// - Returns: the token, which is stored nowhere, and the session; nil where nobody may log in to the account any
  ///   more, or with this password.
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

  /// The session of a token; nil when it is none, or over.
  func session(token: String, unixMs: Int64) async throws -> Session? {
    let hash = Secrets.hash(token)
    let (known, ends) = state.withLock { ($0.cached[hash], $0.ends) }
    if let known { return known.expiresMs > unixMs ? known : nil }
    guard let stored = try await database.session(tokenHash: hash), stored.expiresMs > unixMs else { return nil }
    state.withLock { state in
      guard state.ends == ends else { return }
      // Full, it begins anew: those in use are back with their next request.
      if state.cached.count >= Limits.sessionsCachedMax { state.cached.removeAll(keepingCapacity: true) }
      state.cached[hash] = stored
    }
    return stored
  }

  /// Ends one of an account's sessions, by its name. On disk on return; false where there is none.
  func end(_ id: SessionID, of account: AccountID) async throws -> Bool {
    try await database.endSessions(.one(id, of: account))
  }

  /// Ends an account's sessions. On disk on return.
  ///
  /// - Parameter token: of the one that stays; nil for none.
  func endAll(of account: AccountID, except token: String? = nil) async throws {
    _ = try await database.endSessions(.all(of: account, except: token.map(Secrets.hash)))
  }

  /// Ends a session. On disk on return.
  func end(token: String) async throws {
    _ = try await database.endSessions(.token(hash: Secrets.hash(token)))
  }

  private func forget(_ account: AccountID) {
    state.withLock { state in
      state.cached = state.cached.filter { $0.value.account.id != account }
      state.ends += 1
    }
  }

  private func forget(_ tokenHash: [UInt8]) {
    state.withLock { state in
      state.cached[tokenHash] = nil
      state.ends += 1
    }
  }
}
