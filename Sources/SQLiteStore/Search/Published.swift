package import Domain
import GRDB
package import Store

extension SQLiteDatabase: PostReader {
  package func published(
    _ filter: PostFilter, below: UInt64?, limit: Int, for client: ScanClient
  ) async throws -> (entries: [FeedEntry], next: UInt64?) {
    try await scans.run(for: client) { db in
      let rows = try Row.fetchCursor(
        db.cachedStatement(sql: "\(FeedEntry.select) WHERE seq IS NOT NULL AND seq < ? ORDER BY seq DESC LIMIT ?"),
        arguments: [Int64(clamping: below ?? .max), Limits.searchScanMax + 1])
      var entries: [FeedEntry] = []
      var last: UInt64?
      var examined = 0
      do {
        while let row = try rows.next() {
          guard examined < Limits.searchScanMax, entries.count < limit else { return (entries, last) }
          examined += 1
          guard let entry = FeedEntry(row) else { continue }
          last = entry.seq
          if filter.contains(entry) { entries.append(entry) }
        }
      } catch let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT && last != nil {
        return (entries, last)
      }
      return (entries, nil)
    }
  }

  package func posts(
    of account: AccountID, _ filter: PostFilter, isNewestFirst: Bool, after: PostID?, limit: Int, for client: ScanClient
  ) async throws -> (posts: [Post], next: PostID?) {
    let page: @Sendable (Database) throws -> (posts: [Post], next: PostID?) = { db in
      let (comparison, order) = isNewestFirst ? ("<", "DESC") : (">", "ASC")
      let start = after.map { Int64($0.rawValue) } ?? (isNewestFirst ? Int64.max : 0)
      let rows = try Row.fetchCursor(
        db.cachedStatement(
          sql: """
            SELECT * FROM post WHERE account = ? AND id \(comparison) ? AND state <> 4 ORDER BY id \(order) LIMIT ?
            """),
        arguments: [account.rawValue, start, Limits.searchScanMax + 1])
      var posts: [Post] = []
      var last: PostID?
      var examined = 0
      do {
        while let row = try rows.next() {
          guard examined < Limits.searchScanMax, posts.count < limit else { return (posts, last) }
          examined += 1
          let post = try Post(row)
          last = post.id
          if filter.contains(post) { posts.append(post) }
        }
      } catch let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT && last != nil {
        return (posts, last)
      }
      return (posts, nil)
    }
    let quick = try await pool.read { db in try account.hasFewPosts(db) ? try page(db) : nil }
    if let quick { return quick }
    return try await scans.run(for: client, page)
  }
}
