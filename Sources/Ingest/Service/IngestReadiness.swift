import Domain
import HTTPTypes
import Store
import Web

/// Readiness to accept posts: the body of `/readyz`, and ingest's check in the readiness of its process. Any thread.
struct IngestReadiness: Sendable {
  let database: any StoreHealth
  let queue: PostPipeline
  let pause: QueuePause

  /// Returns a remark for people. Nil if there is none.
  ///
  /// - Throws: The reason why ingest refuses posts, with its code. On a nearly full disk some posts still fit.
  func check() throws(Problem) -> String? {
    if database.stopReason != nil {
      throw Problem(
        .serviceUnavailable, "store_unavailable", "ingest cannot store posts until it restarts; its log has the reason")
    }
    if let sinceMs = database.unavailableSinceMs {
      throw Problem(
        .serviceUnavailable, "store_unavailable",
        "the database has been unreachable since \(timestamp(unixMs: sinceMs)); requests that need it get 503 until "
          + "ingest reaches it again, and no restart is needed")
    }
    if let sinceMs = database.diskFullMs {
      throw Problem(
        .serviceUnavailable, "disk_full",
        "the disk has been full or nearly full since \(timestamp(unixMs: sinceMs)); writes that do not fit get "
          + "507, reads continue; free some space, no restart is needed")
    }
    if queue.isFull {
      throw Problem(
        .serviceUnavailable, "backlog_full",
        "the backlog has \(Limits.queueDepthMax) posts, the maximum; ingest refuses posts with 503 "
          + "until workers catch up")
    }
    if queue.waitsTooLong {
      throw Problem(
        .serviceUnavailable, "backlog_stalled",
        "a post has waited \(queue.waitMaxMs / 1_000) s for a worker; ingest refuses posts with 503 until a "
          + "worker gets it")
    }
    return pause.sinceMs.map {
      "the queue has been paused since \(timestamp(unixMs: $0)); ingest accepts posts, and they wait"
    }
  }
}
