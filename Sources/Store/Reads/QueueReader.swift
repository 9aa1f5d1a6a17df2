package import Domain

/// Reads of the queue, for operators and metrics. Each read sees all writes that were durable at its beginning.
package protocol QueueReader: Sendable {
  /// Returns the number of all dead posts, and the number for each of the `Limits.deadReasonsMax` most frequent
  /// reasons, the most frequent first.
  func deadCounts() async throws -> (all: Int, byReason: [QueueStatus.DeadCount])

  /// Returns a page of dead posts, by ascending id.
  ///
  /// - Parameters:
  ///   - reason: Code of the posts' reason. Nil for all.
  ///   - after: Lower bound of the ids, exclusive. Nil for all.
  ///   - limit: Maximum number of posts, 1 or more.
  func deadPosts(reason: String?, after: PostID?, limit: Int) async throws -> [QueueEntry]

  /// Returns the posts with these ids, in the order of `ids`, without deleted and unknown posts.
  ///
  /// - Parameter ids: At most `Limits.adminPostsMax` ids.
  func queueEntries(_ ids: [PostID]) async throws -> [QueueEntry]

  /// Returns the acceptance time of the oldest queued post, in milliseconds since 1970, UTC. Nil if none is queued.
  func oldestQueuedMs() async throws -> Int64?

  /// Returns a post's latest events, oldest first, at most `Limits.postEventsShownMax`.
  func history(of post: PostID) async throws -> [PostEvent]
}
