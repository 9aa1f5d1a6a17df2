package import Domain
import GRDB
import Store
import Synchronization

extension SQLiteEngine {
  /// Changes an account's own data. After a change of name, publishes the account's posts on the list again with the
  /// new name. Otherwise subscribers' lists would differ from the stored list.
  func changeProfile(
    _ account: AccountID, _ change: ProfileChange, _ unixMs: Int64, _ db: Database
  ) throws -> PostWriteResult.Profile {
    guard let before = try Account.find(account, db) else { return .notFound }
    let email = change.email ?? before.email
    let isConfirmed = before.isEmailConfirmed && email == before.email
    try db.execute(
      sql: "UPDATE OR IGNORE account SET email = ?, email_confirmed = ?, first_name = ?, last_name = ? WHERE id = ?",
      arguments: [
        email, isConfirmed, change.firstName ?? before.firstName, change.lastName ?? before.lastName, account.rawValue,
      ])
    guard db.changesCount == 1, let after = try Account.find(account, db) else { return .emailTaken }
    // Links in the previous mailbox must not work any longer.
    if email != before.email { try MailToken.removeAll(of: account, db) }
    guard (after.firstName, after.lastName) != (before.firstName, before.lastName) else {
      return .changed(after, [])
    }
    names.set(AccountNameCache.Name(first: after.firstName, last: after.lastName), for: account)
    return .changed(after, try republish(account, unixMs, numbers, db))
  }

  func erasePosts(
    _ account: AccountID, _ after: PostID?, _ unixMs: Int64, _ db: Database
  ) throws -> PostWriteResult.Erasure {
    try SecureDeletion.erase(in: db) {
      let rows = try Row.fetchAll(
        db,
        sql: "SELECT id, state, seq FROM post WHERE account = ? AND id > ? AND state <> 4 ORDER BY id LIMIT ?",
        arguments: [account.rawValue, Int64(after?.rawValue ?? 0), Limits.accountPostsErasedPerBatch])
      var erasure = PostWriteResult.Erasure()
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
      if rows.count < Limits.accountPostsErasedPerBatch {
        try db.execute(
          sql: "UPDATE account SET first_name = '', last_name = '' WHERE id = ?", arguments: [account.rawValue])
        erasure.next = nil
      }
      return erasure
    }
  }
}

extension SQLiteDatabase {
  package func listedPosts(renamedBy change: ProfileChange, of account: AccountID) async throws -> Int {
    try await pool.read { db in
      guard let before = try Account.find(account, db) else { return 0 }
      let after = (change.firstName ?? before.firstName, change.lastName ?? before.lastName)
      guard after != (before.firstName, before.lastName) else { return 0 }
      return try Int.fetchOne(db, sql: "SELECT count(*) FROM (\(postsOnList))", arguments: [account.rawValue]) ?? 0
    }
  }

  package func close(_ account: AccountID, unixMs: Int64) async throws -> Bool {
    try await write { [engine = committer.engine] db in
      try SecureDeletion.erase(in: db) {
        try db.execute(
          sql: """
            UPDATE account SET email = 'deleted:' || id, password = '', closed_ms = ? WHERE id = ? AND closed_ms IS NULL
            """, arguments: [unixMs, account.rawValue])
        guard db.changesCount == 1 else { return false }
        for table in ["session", "identity", "mail_token"] {
          try db.execute(sql: "DELETE FROM \(table) WHERE account = ?", arguments: [account.rawValue])
        }
        // The account stays in `closed` even if this write is rolled back. Its owner will repeat the request.
        _ = engine.closed.withLock { $0.insert(account) }
        engine.deletions.record(.account(account), unixMs: unixMs)
        return true
      }
    } reporting: {
      $0 ? .account(account) : nil
    }
  }
}

/// Returns closed accounts whose names are not yet erased. Some of their posts may remain too.
func closedAccounts(_ db: Database) throws -> [AccountID] {
  try Int64.fetchAll(
    db, sql: "SELECT id FROM account WHERE closed_ms IS NOT NULL AND first_name <> '' ORDER BY id"
  ).map { AccountID(rawValue: $0) }
}

/// Query for the ids of an account's posts on the list, by ascending sequence number.
private let postsOnList = """
  SELECT id FROM (
    SELECT id, account, seq FROM post WHERE seq IS NOT NULL ORDER BY seq DESC LIMIT \(Limits.feedEntriesMax))
  WHERE account = ? ORDER BY seq
  """

/// Publishes an account's posts on the list again, in the order of their sequence numbers.
private func republish(
  _ account: AccountID, _ unixMs: Int64, _ numbers: SequenceAllocator, _ db: Database
) throws -> [FeedChange] {
  let ids = try Int64.fetchAll(db, sql: postsOnList, arguments: [account.rawValue])
  return try ids.map { id in
    try db.cachedStatement(sql: "UPDATE post SET seq = ?, updated_ms = ? WHERE id = ?")
      .run(db, .integer(numbers.nextSeq), .integer(unixMs), .integer(id))
    let row = try Row.fetchOne(db.cachedStatement(sql: "\(FeedEntry.select) WHERE post.id = ?"), arguments: [id])
    guard let entry = row.flatMap(FeedEntry.init) else {
      throw StoreError.unusable(path: "post", reason: "a row of the table cannot be read: \(id)")
    }
    numbers.advanceSeq()
    return .upsert(entry)
  }
}

extension Account {
  /// Returns an account by its id. Nil for a closed or unknown account.
  static func find(_ id: AccountID, _ db: Database) throws -> Account? {
    try Row.fetchOne(
      db, sql: "SELECT * FROM account WHERE id = ? AND closed_ms IS NULL", arguments: [id.rawValue]
    ).map(Account.init)
  }
}
