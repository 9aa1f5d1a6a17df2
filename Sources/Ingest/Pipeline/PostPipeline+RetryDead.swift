import Domain
import Messaging
import Metrics
import Store
import Synchronization

/// Retries of dead posts.
extension PostPipeline {
  /// Returns dead posts to the queue as jobs, with 0 attempts and 0 lost leases. The change is durable on return.
  ///
  /// - Throws: `AdminRefusal` if the backlog has too few free slots, `StoreError`.
  func retryDead(_ selection: DeadSelection) async throws -> QueueChange {
    let slots =
      switch selection {
      case .posts(let ids): ids.count
      case .all: Limits.adminPostsMax
      }
    guard depth.add(slots, ordering: .relaxed).newValue <= Limits.queueDepthMax else {
      depth.subtract(slots, ordering: .relaxed)
      throw AdminRefusal(.busy, "the backlog has no \(slots) free slots; try again after workers have settled posts")
    }
    do {
      let retried = try await retryPart(selection, limit: slots)
      depth.subtract(slots - retried.jobs.count, ordering: .relaxed)
      meters.byRetry.increment(by: retried.jobs.count)
      return retried.change
    } catch {
      depth.subtract(slots, ordering: .relaxed)
      throw error
    }
  }

  private func retryPart(_ selection: DeadSelection, limit: Int) async throws -> PostWriteResult.RetriedPosts {
    try await withCheckedThrowingContinuation { continuation in
      let completion = CommitCompletion<PostWriteResult.RetriedPosts> { [jobs] result in
        if case .success(let retried) = result { jobs.enqueue(.committed(.retried(retried.jobs))) }
        continuation.resume(with: result)
      }
      database.retryDead(selection, limit: limit, unixMs: WallClock.unixMs, completion: completion)
    }
  }
}
