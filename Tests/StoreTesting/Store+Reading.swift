package import Domain
package import Store

/// Reads as ingest, without the limits of a network.
extension PostReader {
  package func published(
    _ filter: PostFilter, below: UInt64?, limit: Int
  ) async throws -> (entries: [FeedEntry], next: UInt64?) {
    try await published(filter, below: below, limit: limit, for: .ingest)
  }

  package func posts(
    of account: AccountID, _ filter: PostFilter = PostFilter(), isNewestFirst: Bool = false, after: PostID?, limit: Int
  ) async throws -> (posts: [Post], next: PostID?) {
    try await posts(of: account, filter, isNewestFirst: isNewestFirst, after: after, limit: limit, for: .ingest)
  }

  package func listed(_ query: ListQuery) async throws -> [ListedPost] { try await listed(query, for: .ingest) }
}

extension QueueReader {
  package func queueEntry(_ id: PostID) async throws -> QueueEntry? { try await queueEntries([id]).first }
}

extension AccountStore {
  package func addAccount(_ name: String = "ada") async throws -> AccountID {
    let registration = try Registration(
      email: "\(name)@example.org", password: "a password", firstName: name, lastName: "Lovelace")
    return try await addAccount(registration, passwordHash: "hash of \(name)", unixMs: 1).id
  }

  /// Changes the password and ends all sessions.
  package func changePassword(of account: AccountID, _ hash: String, from before: String) async throws -> Bool {
    try await setPassword(of: account, hash, from: before, ending: .sessions)
  }
}

extension LoginStore {
  /// Adds a session without address and user agent.
  @discardableResult
  package func addSession(
    tokenHash: [UInt8], account: AccountID, unixMs: Int64, expiresMs: Int64
  ) async throws -> Bool {
    try await addSession(
      tokenHash: tokenHash, account: account, passwordHash: nil, source: LoginSource(address: nil, agent: ""),
      unixMs: unixMs, expiresMs: expiresMs)
  }
}
