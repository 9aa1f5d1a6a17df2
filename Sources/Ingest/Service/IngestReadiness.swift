import Domain
import HTTPTypes
import Store
import Web

/// Readiness to accept posts: the answer of `/readyz`, and ingest's part in the readiness of its process. Any thread.
struct IngestReadiness: Sendable {
  let database: any StoreHealth
  let queue: PostPipeline
  let pause: QueuePause

  /// Returns a remark for people; nil without one.
  ///
  /// - Throws: the reason why ingest refuses posts, with its code. On a disk that is nearly full some posts still fit.
  func check() throws(Problem) -> String? {
    if database.stopReason != nil {
      throw Problem(.serviceUnavailable, "store_unusable", "ingest stores nothing until it starts again")
    }
    if let sinceMs = database.diskFullMs {
      throw Problem(
        .serviceUnavailable, "disk_full",
        "the disk is full or nearly full since \(timestamp(unixMs: sinceMs)): writes that do not fit are refused with "
          + "507, reading goes on; free some space, no restart is needed")
    }
    if queue.isFull {
      throw Problem(
        .serviceUnavailable, "backlog_full",
        "\(Limits.queueDepthMax) posts wait: further ones are refused with 503 until workers have caught up")
    }
    if queue.waitsTooLong {
      throw Problem(
        .serviceUnavailable, "backlog_waits",
        "a post has waited \(queue.waitMaxMs / 1_000) s for a worker: further ones are refused with 503 until it goes "
          + "out")
    }
    return pause.sinceMs.map { "the queue is paused since \(timestamp(unixMs: $0)): posts are accepted, and wait" }
  }
}
