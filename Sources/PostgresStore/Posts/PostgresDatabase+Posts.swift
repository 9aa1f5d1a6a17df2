package import Domain
package import Store

extension PostgresDatabase: PostReader {
  package func accepted(
    _ idempotency: Idempotency, account: AccountID
  ) async throws -> Result<AcceptedPost, IdempotencyConflict>? {
    let key = AcceptBatch.Key(account: account, key: idempotency.key)
    let earlier = try await quickReads.run { try AcceptBatch.earlier([key], $0)[key] }
    guard let earlier else { return nil }
    // A row may be visible whose commit ended its wait for a standby. After this write, both are on a standby.
    try await write { _, _ in }
    guard case .accepted(let accepted) = Acceptance(earlier, requestHash: idempotency.requestHash) else {
      return .failure(IdempotencyConflict())
    }
    return .success(accepted)
  }

  package func posts(_ ids: [PostID]) async throws -> [Post] {
    try await quickReads.run {
      try $0.query(PostStatements.byIDs, .int8s(Set(ids).map { Int64($0.rawValue) })).map { try Post($0) }
    }
  }

  package func latest() async throws -> FeedState {
    try await quickReads.run { try FeedState.stored($0) }
  }

  package func posts(
    of account: AccountID, _ filter: PostFilter, isNewestFirst: Bool, after: PostID?, limit: Int, for client: ScanClient
  ) async throws -> (posts: [Post], next: PostID?) {
    let page = OwnPostsPage(
      account: account, filter: filter, isNewestFirst: isNewestFirst, after: after, limit: limit)
    let quick = try await quickReads.run { connection in
      try account.hasFewPosts(connection) ? try page.read(connection, while: { true }) : nil
    }
    if let quick { return quick }
    return try await scan(for: client) { connection, limit in
      try page.read(connection) { !limit.mustEnd(at: .now) }
    }
  }

  package func published(
    _ filter: PostFilter, below: UInt64?, limit: Int, for client: ScanClient
  ) async throws -> (entries: [FeedEntry], next: UInt64?) {
    let page = PublishedPage(filter: filter, below: below, limit: limit)
    return try await scan(for: client) { connection, limit in
      try page.read(connection) { !limit.mustEnd(at: .now) }
    }
  }
}

extension FeedState {
  /// Returns the stored list with its epoch and its sequence number, in one statement. Call this within a transaction.
  static func stored(_ connection: PostgresConnection) throws -> FeedState {
    let rows = try connection.query(PostStatements.list)
    guard let first = rows.first, let epoch = Epoch(first.blob(15) ?? []) else {
      throw StoreError.unusable(path: connection.server, reason: "its meta row is missing or damaged")
    }
    return FeedState(
      epoch: epoch, seq: first.integer(16, as: UInt64.self) ?? 0, entries: rows.compactMap(FeedEntry.init))
  }
}

extension AccountID {
  /// Returns true if the account's posts, including deleted ones, are few enough for a quick read.
  func hasFewPosts(_ connection: PostgresConnection) throws -> Bool {
    let count = try connection.query(
      PostStatements.countOfAccount, .int8(rawValue), .int8(Int64(Limits.quickReadRowsMax) + 1)
    ).first?.int(0)
    return (count ?? 0) <= Limits.quickReadRowsMax
  }
}

enum PostStatements {
  static let byIDs = Statement(
    "posts",
    "SELECT \(Post.columns) FROM \(Post.tables) WHERE post.id = ANY($1::int8[]) AND state IS DISTINCT FROM 4")

  /// The list. With an empty list, one row of NULLs and the list's numbers.
  static let list = Statement(
    "list",
    """
    SELECT latest.*, numbers.epoch, numbers.seq
    FROM (SELECT epoch, (\(Numbers.lastSeq)) AS seq FROM meta) AS numbers LEFT JOIN LATERAL (
      SELECT \(FeedEntry.columns) FROM \(FeedEntry.tables) WHERE seq IS NOT NULL ORDER BY seq DESC
      LIMIT \(Limits.feedEntriesMax)) AS latest ON true
    """)

  static let countOfAccount = Statement(
    "count_posts", "SELECT count(*) FROM (SELECT FROM post WHERE account = $1::int8 LIMIT $2::int8) AS own")

  static func ofAccount(isNewestFirst: Bool) -> Statement {
    let (comparison, order) = isNewestFirst ? ("<", "DESC") : (">", "ASC")
    return Statement(
      isNewestFirst ? "own_posts_newest" : "own_posts_oldest",
      """
      SELECT \(Post.columns) FROM \(Post.tables)
      WHERE post.account = $1::int8 AND post.id \(comparison) $2::int8 AND state IS DISTINCT FROM 4
      ORDER BY post.id \(order) LIMIT $3::int8
      """)
  }

  static let below = Statement(
    "published_below",
    """
    SELECT \(FeedEntry.columns) FROM \(FeedEntry.tables) WHERE seq IS NOT NULL AND seq < $1::int8
    ORDER BY seq DESC LIMIT $2::int8
    """)
}
