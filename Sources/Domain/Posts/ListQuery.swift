/// Request for a page of the published posts, from a client of the original service.
package struct ListQuery: Sendable, Equatable {
  /// Order of the page. `updatedAt` sorts by sequence number and `createdAt` by id, so posts of the same millisecond
  /// have a fixed order.
  package enum Order: Sendable, Equatable {
    case updatedAt
    case createdAt
  }

  package var condition: ListCondition
  package var order: Order
  package var isDescending: Bool
  /// Maximum number of posts, 0 … `Limits.pagePostsMax`.
  package var limit: Int
  /// Number of posts to skip, 0 … `Limits.skipMax`.
  package var skip: Int

  package init(
    condition: ListCondition = .always, order: Order = .updatedAt, isDescending: Bool = true,
    limit: Int = Limits.feedEntriesMax, skip: Int = 0
  ) {
    self.condition = condition
    self.order = order
    self.isDescending = isDescending
    self.limit = limit
    self.skip = skip
  }

  /// True if the whole page is within the latest `Limits.feedEntriesMax` posts.
  package var isAmongLatest: Bool {
    condition == .always && order == .updatedAt && isDescending && skip + limit <= Limits.feedEntriesMax
  }
}
