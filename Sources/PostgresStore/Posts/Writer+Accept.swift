import Domain
import Store

extension Writer {
  /// Accepts posts of one account, statement by statement. Call this within a transaction.
  func accept(
    _ posts: [NewPost], _ account: AccountID, capacity: Int, _ unixMs: Int64, number: Int64,
    _ connection: PostgresConnection
  ) throws -> [Acceptance] {
    try accounts.load([account], connection)
    guard let known = accounts[account], !known.isClosed else { throw StoreError.noAccount }
    if let expiry = keyExpiry.next(posts: posts.count, unixMs: unixMs) {
      try expiry.send(connection)
      keyExpiry.finish(expiry, removed: try expiry.receive(connection))
    }
    let keys = posts.compactMap { post in post.idempotency.map { AcceptBatch.Key(account: account, key: $0.key) } }
    var batch = AcceptBatch(number: number)
    batch.add(
      posts, account, capacity: capacity, earlier: try AcceptBatch.earlier(Array(Set(keys)), connection), unixMs,
      &numbers)
    try batch.send(connection)
    let (acceptances, highest) = try batch.results(stored: try batch.receive(connection))
    stored.post = max(stored.post, highest)
    return acceptances
  }
}
