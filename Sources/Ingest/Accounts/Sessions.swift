import Domain
import SQLiteStore
import Synchronization

/// Sessions of accounts: random tokens outside, their hashes on disk, the recent ones in memory.
final class Sessions: Sendable {
  private struct State: Sendable {
    var known: [[UInt8]: Session] = [:]
    /// Counts ends, so that a session read before its end is not remembered after it.
    var ends = 0
  }

  private let database: IngestDatabase
  private let state = Mutex(State())

  init(database: IngestDatabase) { self.database = database }

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
    let (known, ends) = state.withLock { ($0.known[hash], $0.ends) }
    if let known { return known.expiresMs > unixMs ? known : nil }
    guard let stored = try await database.session(tokenHash: hash), stored.expiresMs > unixMs else { return nil }
    state.withLock { state in
      guard state.ends == ends else { return }
      // Full, it begins anew: those in use are back with their next request.
      if state.known.count >= Limits.sessionsCachedMax { state.known.removeAll(keepingCapacity: true) }
      state.known[hash] = stored
    }
    return stored
  }

  /// Ends one of an account's sessions, by its name. On disk on return; false where there is none.
  func end(_ id: SessionID, of account: AccountID) async throws -> Bool {
    let isEnded = try await database.removeSession(id, of: account)
    forget { $0.id == id }
    return isEnded
  }

  /// Ends an account's sessions. On disk on return.
  ///
  /// - Parameter token: of the one that stays; nil for none.
  func endAll(of account: AccountID, except token: String? = nil) async throws {
    let kept = token.map(Secrets.hash)
    try await database.removeSessions(of: account, except: kept)
    let id = kept.map { SessionID(tokenHash: $0) }
    forget { $0.account.id == account && $0.id != id }
  }

  /// The account is not as it was: what is remembered of its sessions is read anew.
  func reread(_ account: AccountID) { forget { $0.account.id == account } }

  private func forget(_ isOver: (Session) -> Bool) {
    state.withLock { state in
      state.known = state.known.filter { !isOver($0.value) }
      state.ends += 1
    }
  }

  /// Ends a session. On disk on return.
  func end(token: String) async throws {
    let hash = Secrets.hash(token)
    try await database.removeSession(tokenHash: hash)
    state.withLock { state in
      state.known[hash] = nil
      state.ends += 1
    }
  }
}
