import Domain

/// A page of everybody's published posts, newest first.
struct PublishedPage: Sendable {
  let filter: PostFilter
  let below: UInt64?
  let limit: Int

  /// Reads the page in parts. Call this within a transaction.
  ///
  /// - Parameter mayContinue: Returns false when the read must end. The page then has the results so far.
  func read(
    _ connection: PostgresConnection, while mayContinue: () -> Bool
  ) throws -> (entries: [FeedEntry], next: UInt64?) {
    var entries: [FeedEntry] = []
    var last: UInt64?
    var position = Int64(clamping: below ?? .max)
    var examined = 0
    while true {
      let rows = try connection.query(
        PostStatements.below, .int8(position), .int8(Int64(Limits.postgresSearchRows)))
      for row in rows.map({ $0 }) {
        guard examined < Limits.searchScanMax, entries.count < limit else { return (entries, last) }
        examined += 1
        guard let entry = FeedEntry(row) else { continue }
        (last, position) = (entry.seq, Int64(entry.seq))
        if filter.contains(entry) { entries.append(entry) }
      }
      guard rows.count == Limits.postgresSearchRows else { return (entries, nil) }
      guard mayContinue() else { return (entries, last) }
    }
  }
}
