package import Domain
import Store

extension Writer {
  /// Changes an account's own data. After a change of name, publishes the account's posts on the list again with the
  /// new name. Otherwise subscribers' lists would differ from the stored list. Call this within a transaction.
  func changeProfile(
    _ account: AccountID, _ change: ProfileChange, _ unixMs: Int64, _ connection: PostgresConnection
  ) throws -> PostWriteResult.Profile {
    guard let before = try Account.find(account, connection) else { return .notFound }
    if let email = change.email, let owner = try Account.id(email: email, connection), owner != account {
      return .emailTaken
    }
    let (first, last) = (change.firstName ?? before.firstName, change.lastName ?? before.lastName)
    let email = change.email ?? before.email
    _ = try connection.query(
      ProfileStatements.change, .int8(account.rawValue), .text(email), .text(first), .text(last),
      .bool(before.isEmailConfirmed && email == before.email))
    // Links in the previous mailbox must not work any longer.
    if email != before.email { try MailToken.removeAll(of: account, connection) }
    guard let after = try Account.find(account, connection) else { return .notFound }
    guard (after.firstName, after.lastName) != (before.firstName, before.lastName) else {
      return .changed(after, [])
    }
    accounts[account] = AccountCache.Entry(firstName: after.firstName, lastName: after.lastName, isClosed: false)
    return .changed(after, try republish(account, unixMs, connection))
  }

  /// Publishes an account's posts on the list again, in the order of their sequence numbers.
  private func republish(
    _ account: AccountID, _ unixMs: Int64, _ connection: PostgresConnection
  ) throws -> [FeedChange] {
    let ids = try connection.query(ProfileStatements.onList, .int8(account.rawValue)).map { $0.int(0) }
    return try ids.map { id in
      let seq = numbers.nextSeq()
      _ = try connection.query(ProfileStatements.renumber, .int8(id), .int8(Int64(seq)), .int8(unixMs))
      guard let entry = try entry(of: id, connection) else {
        throw StoreError.unusable(path: "post", reason: "a row of the table cannot be read: \(id)")
      }
      stored.seq = seq
      return .upsert(entry)
    }
  }

  /// Erases posts of a closed account. Call this within a transaction.
  func erasePosts(
    _ account: AccountID, _ after: PostID?, _ unixMs: Int64, number: Int64, _ connection: PostgresConnection
  ) throws -> PostWriteResult.Erasure {
    let rows = try connection.query(
      ProfileStatements.toErase, .int8(account.rawValue), .int8(Int64(after?.rawValue ?? 0)),
      .int8(Int64(Limits.accountPostsErasedPerBatch)))
    var erasure = PostWriteResult.Erasure()
    for row in rows.map({ $0 }) {
      guard let post = PostID(row.int(0)) else {
        throw StoreError.unusable(path: "post", reason: "a post's id cannot be read")
      }
      let listedAt = row.integer(1, as: UInt64.self)
      if let change = try erase(post, listedAt: listedAt, unixMs, number: number, connection) {
        erasure.changes.append(change)
      } else {
        erasure.unlisted.append(post)
      }
      erasure.next = post
    }
    // No client is left that could resend with these keys.
    let ids = rows.map { $0.int(0) }
    _ = try connection.query(ProfileStatements.removeKeys, .int8s(ids))
    if rows.count < Limits.accountPostsErasedPerBatch {
      _ = try connection.query(ProfileStatements.eraseName, .int8(account.rawValue))
      accounts[account] = nil
      erasure.next = nil
    }
    return erasure
  }
}

extension PostgresDatabase {
  package func listedPosts(renamedBy change: ProfileChange, of account: AccountID) async throws -> Int {
    try await quickReads.run { connection in
      guard let before = try Account.find(account, connection) else { return 0 }
      let after = (change.firstName ?? before.firstName, change.lastName ?? before.lastName)
      guard after != (before.firstName, before.lastName) else { return 0 }
      return try connection.query(ProfileStatements.onList, .int8(account.rawValue)).count
    }
  }
}

private enum ProfileStatements {
  static let change = Statement(
    "change_profile",
    """
    UPDATE account SET email = $2::text, first_name = $3::text, last_name = $4::text, email_confirmed = $5::boolean
    WHERE id = $1::int8
    """)

  /// Ids of an account's posts on the list, by ascending sequence number.
  static let onList = Statement(
    "posts_on_list",
    """
    SELECT latest.id FROM (
      SELECT id, seq FROM outcome WHERE seq IS NOT NULL ORDER BY seq DESC LIMIT \(Limits.feedEntriesMax)) AS latest
    JOIN post ON post.id = latest.id WHERE account = $1::int8 ORDER BY seq
    """)

  static let renumber = Statement(
    "renumber", "UPDATE outcome SET seq = $2::int8, updated_ms = $3::int8 WHERE id = $1::int8")

  static let toErase = Statement(
    "posts_to_erase",
    """
    SELECT post.id, seq FROM post LEFT JOIN outcome ON outcome.id = post.id
    WHERE account = $1::int8 AND post.id > $2::int8 AND state IS DISTINCT FROM 4 ORDER BY post.id LIMIT $3::int8
    """)

  static let removeKeys = Statement("remove_keys", "DELETE FROM post_key WHERE post = ANY($1::int8[])")
  static let eraseName = Statement(
    "erase_name", "UPDATE account SET first_name = '', last_name = '' WHERE id = $1::int8")
}
