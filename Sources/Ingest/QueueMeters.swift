import Link
import Logging
import Metrics
import OnTheMap
import Synchronization
import Telemetry

/// Counts what comes into the queue and what becomes of it, and tells the log about single posts, with their traces.
/// Once for each commit, where one has several posts. Any thread.
final class QueueMeters: Sendable {
  /// A result that is on disk, and what it meant.
  typealias Settled = (id: PostID, taken: JobServer.Taken, settlement: Settlement)

  let overHTTP = Metric.queueEnqueued.counter("http")
  let overZeroMQ = Metric.queueEnqueued.counter("zeromq")
  let byRetry = Metric.queueEnqueued.counter("retry")
  let retries = Metric.queueRetries.counter()
  let losses = Metric.queueLosses.counter()
  private let published = Metric.queueCompleted.counter("published")
  private let rejected = Metric.queueCompleted.counter("rejected")
  private let dead = Metric.queueCompleted.counter("dead")
  private let deleted = Metric.queueCompleted.counter("deleted")
  private let logger: Logger
  /// Of posts that die: a worker that fails at everything must not fill the log.
  private let quota = Mutex(LogQuota())

  init(logger: Logger) { self.logger = logger }

  /// Results are on disk.
  ///
  /// - Parameter void: those of posts that were deleted in the meantime.
  func count(_ posts: [Settled], void: Set<PostID> = []) {
    var told = (published: 0, rejected: 0, dead: 0, retries: 0)
    // In their places: to copy one costs more than to count it.
    for index in posts.indices where void.isEmpty || !void.contains(posts[index].id) {
      switch posts[index].settlement {
      case .verdict(.published): told.published += 1
      case .verdict(.rejected): told.rejected += 1
      case .dead: told.dead += 1
      case .retry: told.retries += 1
      }
    }
    published.increment(by: told.published)
    rejected.increment(by: told.rejected)
    dead.increment(by: told.dead)
    retries.increment(by: told.retries)
    deleted.increment(by: void.count)
    guard logger.logLevel <= .debug || told.dead > 0 else { return }
    for post in posts where !void.contains(post.id) { log(post) }
  }

  /// Posts that have lost too many workers are dead, on disk.
  ///
  /// - Parameter void: those that were deleted in the meantime, and perhaps others.
  func bury(_ posts: [PostID], void: Set<PostID>) {
    let buried = posts.filter { !void.contains($0) }
    dead.increment(by: buried.count)
    deleted.increment(by: posts.count - buried.count)
    for post in buried { logDead(post, ["post": "\(post)", "code": "workers_lost"]) }
  }

  private func log(_ post: Settled) {
    var metadata: Logger.Metadata = ["post": "\(post.id)"]
    if let trace = post.taken.job.trace { metadata["trace_id"] = "\(trace.traceID)" }
    switch post.settlement {
    case .verdict(.published(let published)):
      metadata["label"] = "\(published.label)"
      logger.debug("post published", metadata: metadata)
    case .verdict(.rejected(let reason)):
      metadata["code"] = "\(reason.code)"
      logger.debug("post rejected", metadata: metadata)
    case .retry(let attempts, let pauseMs):
      if case .failed(let failure) = post.taken.result.outcome { metadata["code"] = "\(failure.code)" }
      metadata["attempts"] = "\(attempts)"
      metadata["pauseMs"] = "\(pauseMs)"
      logger.debug("try failed", metadata: metadata)
    case .dead(let reason, let attempts):
      metadata["attempts"] = "\(attempts)"
      metadata["code"] = "\(reason.code)"
      metadata["detail"] = "\(reason.detail)"
      logDead(post.id, metadata)
    }
  }

  /// So many a second; the others only where somebody wants to see everything. Each is in the queue's list.
  private func logDead(_ post: PostID, _ metadata: Logger.Metadata) {
    let isAdmitted = quota.withLock { $0.admit("\(post)", nowMs: Reactor.nowMs) } != nil
    logger.log(level: isAdmitted ? .notice : .debug, "post dead", metadata: metadata)
  }
}
