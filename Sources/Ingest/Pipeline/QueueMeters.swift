import Domain
import Logging
import Messaging
import Metrics
import Synchronization
import Telemetry

/// Meters of the posts that enter and leave the queue, and the log of single posts with their traces. Each commit
/// increments a meter once, for all its posts. Any thread.
final class QueueMeters: Sendable {
  let overHTTP = Metric.queueEnqueued.counter("http")
  let overZeroMQ = Metric.queueEnqueued.counter("zeromq")
  let byRetry = Metric.queueEnqueued.counter("retry")
  let retries = Metric.queueRetries.counter()
  private let losses = Metric.queueLosses.counter()
  private let published = Metric.queueCompleted.counter("published")
  private let rejected = Metric.queueCompleted.counter("rejected")
  private let dead = Metric.queueCompleted.counter("dead")
  private let deleted = Metric.queueCompleted.counter("deleted")
  private let logger: Logger
  /// Rate limiter for logs of dead posts: a worker that always fails must not fill the log.
  private let logLimiter = Mutex(LogRateLimiter())

  init(logger: Logger) { self.logger = logger }

  /// Counts settlements that are durable.
  ///
  /// - Parameter void: Posts that were deleted in the meantime.
  func count(_ settlements: [IngestCore.PendingSettlement], void: Set<PostID>) {
    func isVoid(_ index: Int) -> Bool {
      !void.isEmpty && settlements[index].job.id.post.map(void.contains) == true
    }
    var counts = (published: 0, rejected: 0, dead: 0, retries: 0)
    // Iterate over indices, because copying a settlement costs more than counting it.
    for index in settlements.indices where !isVoid(index) {
      switch settlements[index].settlement {
      case .verdict(.published): counts.published += 1
      case .verdict(.rejected): counts.rejected += 1
      case .dead: counts.dead += 1
      case .retry: counts.retries += 1
      case .leaseLost: break
      }
    }
    published.increment(by: counts.published)
    rejected.increment(by: counts.rejected)
    dead.increment(by: counts.dead)
    retries.increment(by: counts.retries)
    deleted.increment(by: void.count)
    guard logger.logLevel <= .debug || counts.dead > 0 else { return }
    for index in settlements.indices where !isVoid(index) { log(settlements[index]) }
  }

  /// Counts lost leases that are durable, and the posts that are dead because of them.
  ///
  /// - Parameter void: Posts that were deleted in the meantime.
  func count(_ losses: JobScheduler.LostLeases, void: Set<PostID>) {
    self.losses.increment(by: losses.requeued.count + losses.dead.count)
    let posts = losses.dead.compactMap(\.post)
    let deadPosts = posts.filter { !void.contains($0) }
    dead.increment(by: deadPosts.count)
    deleted.increment(by: posts.count - deadPosts.count)
    for post in deadPosts { logDead(post, ["post": "\(post)", "code": "workers_lost"]) }
  }

  private func log(_ pending: IngestCore.PendingSettlement) {
    guard let post = pending.job.id.post else { return }
    var metadata: Logger.Metadata = ["post": "\(post)"]
    if let trace = pending.job.trace { metadata["trace_id"] = "\(trace.traceID)" }
    switch pending.settlement {
    case .verdict(.published(let published)):
      metadata["label"] = "\(published.label)"
      logger.debug("post published", metadata: metadata)
    case .verdict(.rejected(let reason)):
      metadata["code"] = "\(reason.code)"
      logger.debug("post rejected", metadata: metadata)
    case .retry(let attempts, let pauseMs, let reason):
      if let reason { metadata["code"] = "\(reason.code)" }
      metadata["failed_attempts"] = "\(attempts)"
      metadata["retry_ms"] = "\(pauseMs)"
      logger.debug("attempt failed", metadata: metadata)
    case .dead(let reason, let attempts):
      if let attempts { metadata["failed_attempts"] = "\(attempts)" }
      metadata["code"] = "\(reason.code)"
      metadata["detail"] = "\(reason.detail)"
      logDead(post, metadata)
    case .leaseLost: break
    }
  }

  /// Logs a dead post, at `notice` up to a rate and at `debug` above it. The queue's list of dead posts shows all.
  private func logDead(_ post: PostID, _ metadata: Logger.Metadata) {
    let isAdmitted = logLimiter.withLock { $0.admit("\(post)", nowMs: Reactor.nowMs) } != nil
    logger.log(level: isAdmitted ? .notice : .debug, "post became dead", metadata: metadata)
  }
}
