import Domain

/// A page of an account's own posts.
struct OwnPostsPage: Sendable {
  let account: AccountID
  let filter: PostFilter
  let isNewestFirst: Bool
  let after: PostID?
  let limit: Int

  /// Reads the page in parts. Call this within a transaction.
  ///
  /// - Parameter mayContinue: Returns false when the read must end. The page then has the results so far.
  func read(
    _ connection: PostgresConnection, while mayContinue: () -> Bool
  ) throws -> (posts: [Post], next: PostID?) {
    let statement = PostStatements.ofAccount(isNewestFirst: isNewestFirst)
    var posts: [Post] = []
    var last: PostID?
    var position = after.map { Int64($0.rawValue) } ?? (isNewestFirst ? Int64.max : 0)
    var examined = 0
    while true {
      let rows = try connection.query(
        statement, .int8(account.rawValue), .int8(position), .int8(Int64(Limits.postgresSearchRows)))
      for row in rows.map({ $0 }) {
        guard examined < Limits.searchScanMax, posts.count < limit else { return (posts, last) }
        examined += 1
        let post = try Post(row)
        (last, position) = (post.id, Int64(post.id.rawValue))
        if filter.contains(post) { posts.append(post) }
      }
      guard rows.count == Limits.postgresSearchRows else { return (posts, nil) }
      guard mayContinue() else { return (posts, last) }
    }
  }
}
