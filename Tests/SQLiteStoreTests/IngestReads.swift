@testable import Domain
@testable import SQLiteStore

/// Reads for ingest itself, which has no share of the scans.
extension IngestDatabase {
  func published(
    _ filter: PostFilter, below: UInt64?, limit: Int
  ) async throws -> (entries: [FeedEntry], next: UInt64?) {
    try await published(filter, below: below, limit: limit, for: .ingest)
  }

  func posts(
    of account: AccountID, _ filter: PostFilter = PostFilter(), isNewestFirst: Bool = false, after: PostID?, limit: Int
  ) async throws -> (posts: [Post], next: PostID?) {
    try await posts(of: account, filter, isNewestFirst: isNewestFirst, after: after, limit: limit, for: .ingest)
  }

  func listed(_ query: ListQuery) async throws -> [ListedPost] { try await listed(query, for: .ingest) }
}
