import GRDB
package import OnTheMap

extension IngestDatabase {
  /// A page of what somebody searches for among the published posts, newest first.
  ///
  /// - Parameters:
  ///   - below: only posts with lower numbers; nil for all.
  ///   - limit: 1 … `Limits.pagePostsMax`.
  /// - Returns: those of the next `Limits.searchScanMax` posts that are among them,
  ///   and below which number to go on; nil where nothing follows.
  package func published(
    _ filter: PostFilter, below: UInt64?, limit: Int
  ) async throws -> (entries: [FeedEntry], next: UInt64?) {
    try await pool.read { db in
      let rows = try Row.fetchCursor(
        db.cachedStatement(sql: "\(FeedEntry.select) WHERE seq IS NOT NULL AND seq < ? ORDER BY seq DESC LIMIT ?"),
        arguments: [Int64(clamping: below ?? .max), Limits.searchScanMax + 1])
      var entries: [FeedEntry] = []
      var last: UInt64?
      var seen = 0
      while let row = try rows.next() {
        guard seen < Limits.searchScanMax, entries.count < limit else { return (entries, last) }
        seen += 1
        guard let entry = FeedEntry(row) else { continue }
        last = entry.seq
        if filter.contains(entry) { entries.append(entry) }
      }
      return (entries, nil)
    }
  }
}
