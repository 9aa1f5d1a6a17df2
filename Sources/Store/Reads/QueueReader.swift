package import Domain

/// Reads of the queue, for operators and metrics. Each sees all writes that were durable when it began.
package protocol QueueReader: Sendable {
  /// Returns the number of dead posts, and of those of the most frequent reasons, most frequent first.
  func deadCounts() async throws -> (all: Int, byReason: [QueueStatus.DeadCount])

  /// Returns a page of dead posts, by rising id.
  ///
  /// - Parameters:
  ///   - reason: only posts with this code; nil for all.
  ///   - after: only posts with greater ids; nil for all.
  ///   - limit: 1 or more.
  func deadPosts(reason: String?, after: PostID?, limit: Int) async throws -> [QueueEntry]

  /// Returns posts by their ids, in the order of the ids, without deleted and unknown ones.
  ///
  /// - Parameter ids: `Limits.adminPostsMax` at most.
  func queueEntries(_ ids: [PostID]) async throws -> [QueueEntry]

  /// Returns the acceptance time of the oldest queued post, in ms since 1970, UTC; nil if none is queued.
  func oldestQueuedMs() async throws -> Int64?

  /// Returns a post's latest events, oldest first, `Limits.postEventsShownMax` at most.
  func history(of post: PostID) async throws -> [PostEvent]
}
