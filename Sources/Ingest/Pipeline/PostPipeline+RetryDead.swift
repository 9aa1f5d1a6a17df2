import Domain
import Messaging
import Metrics
import Store
import Synchronization

/// Dead posts that come back.
extension PostPipeline {
  /// Brings dead posts back into the queue, with fresh counts. On disk on return, and on their way to a worker.
  ///
  /// - Throws: `AdminRefusal` where the queue has no room for so many, `StoreError`.
  func retryDead(_ selection: DeadSelection) async throws -> QueueChange {
    let room =
      switch selection {
      case .these(let ids): ids.count
      case .all: Limits.adminPostsMax
      }
    guard depth.add(room, ordering: .relaxed).newValue <= Limits.queueDepthMax else {
      depth.subtract(room, ordering: .relaxed)
      throw AdminRefusal(.busy, "the queue has no room for \(room) more; let workers take some, then try again")
    }
    do {
      let retried = try await retryPart(selection, limit: room)
      depth.subtract(room - retried.jobs.count, ordering: .relaxed)
      meters.byRetry.increment(by: retried.jobs.count)
      return retried.change
    } catch {
      depth.subtract(room, ordering: .relaxed)
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
