import Domain
import Messaging
import Metrics
import Store
import Synchronization

/// Dead posts that come back.
extension PostQueue {
  /// Brings dead posts back into the queue, with fresh counts. On disk on return, and on their way to a worker.
  ///
  /// - Throws: `AdminRefusal` where the queue has no room for so many, `StoreError`.
  func revive(_ selection: DeadSelection) async throws -> QueueChange {
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
      let revival = try await revived(selection, limit: room)
      depth.subtract(room - revival.jobs.count, ordering: .relaxed)
      meters.byRetry.increment(by: revival.jobs.count)
      return revival.change
    } catch {
      depth.subtract(room, ordering: .relaxed)
      throw error
    }
  }

  private func revived(_ selection: DeadSelection, limit: Int) async throws -> PostWriteResult.Revival {
    try await withCheckedThrowingContinuation { continuation in
      let completion = CommitCompletion<PostWriteResult.Revival> { [jobs] result in
        if case .success(let revival) = result { jobs.put(.committed(.revived(revival.jobs))) }
        continuation.resume(with: result)
      }
      database.revive(selection, limit: limit, unixMs: WallClock.unixMs, completion: completion)
    }
  }
}
