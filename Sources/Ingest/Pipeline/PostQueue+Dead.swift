import Domain
import Messaging
import Metrics
import SQLiteStore
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
      let (change, revived) = try await database.revive(selection, limit: room, unixMs: WallClock.unixMs)
      depth.subtract(room - revived.count, ordering: .relaxed)
      jobs.put(.committed(.revived(revived)))
      meters.byRetry.increment(by: revived.count)
      return change
    } catch {
      depth.subtract(room, ordering: .relaxed)
      throw error
    }
  }
}
