package import Domain
import GRDB
import Synchronization

/// What owners do about their accounts: one method a transaction.
extension IngestDatabase {
  /// What a change of an account's own data did.
  package enum ProfileOutcome: Sendable {
    /// There is no such account, or none any more.
    case notFound
    /// Nothing: another account has the e-mail address.
    case emailTaken
    /// The account is as it is now, and so are its posts on the list: with another name they stand on top of it.
    case changed(Account, [FeedChange])
  }

  /// Changes an account's own data. On disk when `then` is called, on the commits' queue and in the order of the
  /// numbers, with a success.
  ///
  /// Posts have their name from the account. Whoever follows the list is told of those on it as of edited ones, or
  /// their lists would not be the one that is on disk.
  package func change(
    _ account: AccountID, _ change: ProfileChange, unixMs: Int64,
    then: @escaping @Sendable (Result<ProfileOutcome, StoreError>) -> Void
  ) {
    writer.submit(
      { [numbers, names] db -> ProfileOutcome in
        guard let before = try Account.one(account, db) else { return .notFound }
        try db.execute(
          sql: "UPDATE OR IGNORE account SET email = ?, first_name = ?, last_name = ? WHERE id = ?",
          arguments: [
            change.email ?? before.email, change.firstName ?? before.firstName, change.lastName ?? before.lastName,
            account.rawValue,
          ])
        guard db.changesCount == 1, let after = try Account.one(account, db) else { return .emailTaken }
        guard (after.firstName, after.lastName) != (before.firstName, before.lastName) else {
          return .changed(after, [])
        }
        names.set(Names.Name(first: after.firstName, last: after.lastName), for: account)
        return .changed(after, try listAgain(account, unixMs, numbers, db))
      }, then: then)
  }

  /// Returns the number of an account's posts on the list that a change would publish again: 0 if the name stays.
  package func listedPosts(renamedBy change: ProfileChange, of account: AccountID) async throws -> Int {
    try await pool.read { db in
      guard let before = try Account.one(account, db) else { return 0 }
      let after = (change.firstName ?? before.firstName, change.lastName ?? before.lastName)
      guard after != (before.firstName, before.lastName) else { return 0 }
      return try Int.fetchOne(db, sql: "SELECT count(*) FROM (\(postsOnList))", arguments: [account.rawValue]) ?? 0
    }
  }

  /// Closes an account for good: nobody logs in to it or posts from then on, its e-mail address and its identities are
  /// free, and its sessions are over. Its posts go with `erasePosts`. On disk on return; false where there is none.
  package func close(_ account: AccountID, unixMs: Int64) async throws -> Bool {
    try await writer.write { [self] db in
      try Traces.erase(in: db) {
        try db.execute(
          sql: """
            UPDATE account SET email = 'deleted:' || id, password = '', closed_ms = ? WHERE id = ? AND closed_ms IS NULL
            """, arguments: [unixMs, account.rawValue])
        guard db.changesCount == 1 else { return false }
        for table in ["session", "identity"] {
          try db.execute(sql: "DELETE FROM \(table) WHERE account = ?", arguments: [account.rawValue])
        }
        // The account stays closed even if this is rolled back: its owner will ask again.
        _ = closed.withLock { $0.insert(account) }
        return true
      }
    }
  }

  /// Accounts that are closed and have posts, or had when the last of them was erased.
  package func closing() throws -> [AccountID] {
    try pool.read { db in
      try Int64.fetchAll(
        db, sql: "SELECT id FROM account WHERE closed_ms IS NOT NULL AND first_name <> '' ORDER BY id"
      ).map { AccountID(rawValue: $0) }
    }
  }

  /// What `erasePosts` did.
  package struct Erasure: Sendable {
    /// What feeds have to learn.
    package var changes: [FeedChange] = []
    /// Those that were not on the map.
    package var unlisted: [PostID] = []
    /// From which to go on; nil when nothing is left of the account but its number.
    package var next: PostID?
  }

  /// Takes some posts of a closed account, `Limits.accountPostsErasedAtOnce` at most, and after the last its name. On
  /// disk when `then` is called, on the commits' queue and in the order of the numbers, with a success.
  ///
  /// - Parameter after: the last one's `next`; nil to begin.
  package func erasePosts(
    of account: AccountID, after: PostID?, unixMs: Int64,
    then: @escaping @Sendable (Result<Erasure, StoreError>) -> Void
  ) {
    writer.submit(
      { [numbers, path] db -> Erasure in
        try Traces.erase(in: db) {
          let rows = try Row.fetchAll(
            db,
            sql: "SELECT id, state, seq FROM post WHERE account = ? AND id > ? AND state <> 4 ORDER BY id LIMIT ?",
            arguments: [account.rawValue, Int64(after?.rawValue ?? 0), Limits.accountPostsErasedAtOnce])
          var erasure = Erasure()
          for row in rows {
            guard let post = PostID(row["id"] as Int64) else {
              throw StoreError.unusable(path: path, reason: "a post's id cannot be read")
            }
            let listedAt = (row["seq"] as Int64?).flatMap { UInt64(exactly: $0) }
            if let change = try erase(post, listedAt: listedAt, unixMs, numbers, db) {
              erasure.changes.append(change)
            } else {
              erasure.unlisted.append(post)
            }
            // No client is left that could resend with this key.
            try db.execute(
              sql: "UPDATE post SET idempotency_key = NULL, request_hash = NULL WHERE id = ?",
              arguments: [Int64(post.rawValue)])
            erasure.next = post
          }
          if rows.count < Limits.accountPostsErasedAtOnce {
            try db.execute(
              sql: "UPDATE account SET first_name = '', last_name = '' WHERE id = ?", arguments: [account.rawValue])
            erasure.next = nil
          }
          return erasure
        }
      }, then: then)
  }
}

/// The ids of an account's posts that are on the list, by their order.
private let postsOnList = """
  SELECT id FROM (
    SELECT id, account, seq FROM post WHERE seq IS NOT NULL ORDER BY seq DESC LIMIT \(Limits.feedEntriesMax))
  WHERE account = ? ORDER BY seq
  """

/// The account's posts that are on the list, again, in their order.
private func listAgain(
  _ account: AccountID, _ unixMs: Int64, _ numbers: Numbers, _ db: Database
) throws -> [FeedChange] {
  let ids = try Int64.fetchAll(db, sql: postsOnList, arguments: [account.rawValue])
  return try ids.map { id in
    try db.cachedStatement(sql: "UPDATE post SET seq = ?, updated_ms = ? WHERE id = ?")
      .run(db, .integer(numbers.nextSeq), .integer(unixMs), .integer(id))
    let row = try Row.fetchOne(db.cachedStatement(sql: "\(FeedEntry.select) WHERE post.id = ?"), arguments: [id])
    guard let entry = row.flatMap(FeedEntry.init) else {
      throw StoreError.unusable(path: "post", reason: "a row of the table cannot be read: \(id)")
    }
    numbers.takeSeq()
    return .put(entry)
  }
}

extension Account {
  /// Nil where there is none, or none any more.
  static func one(_ id: AccountID, _ db: Database) throws -> Account? {
    try Row.fetchOne(
      db, sql: "SELECT * FROM account WHERE id = ? AND closed_ms IS NULL", arguments: [id.rawValue]
    ).map(Account.init)
  }
}
