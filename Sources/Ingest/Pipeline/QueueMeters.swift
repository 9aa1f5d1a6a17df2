import Domain
import Logging
import Messaging
import Metrics
import Synchronization
import Telemetry

/// Counts what comes into the queue and what becomes of it, and tells the log about single posts, with their traces.
/// Once for each commit, where one has several posts. Any thread.
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
  /// Of posts that die: a worker that fails at everything must not fill the log.
  private let logLimiter = Mutex(LogRateLimiter())

  init(logger: Logger) { self.logger = logger }

  /// Counts settlements that are durable.
  ///
  /// - Parameter void: posts that were deleted meanwhile.
  func count(_ settlements: [IngestCore.PendingSettlement], void: Set<PostID>) {
    func isVoid(_ index: Int) -> Bool {
      !void.isEmpty && settlements[index].job.id.post.map(void.contains) == true
    }
    var told = (published: 0, rejected: 0, dead: 0, retries: 0)
    // In their places: to copy one costs more than to count it.
    for index in settlements.indices where !isVoid(index) {
      switch settlements[index].settlement {
      case .verdict(.published): told.published += 1
      case .verdict(.rejected): told.rejected += 1
      case .dead: told.dead += 1
      case .retry: told.retries += 1
      case .leaseLost: break
      }
    }
    published.increment(by: told.published)
    rejected.increment(by: told.rejected)
    dead.increment(by: told.dead)
    retries.increment(by: told.retries)
    deleted.increment(by: void.count)
    guard logger.logLevel <= .debug || told.dead > 0 else { return }
    for index in settlements.indices where !isVoid(index) { log(settlements[index]) }
  }

  /// Counts lost workers that are durable, and the posts that are dead by them.
  ///
  /// - Parameter void: posts that were deleted meanwhile.
  func count(_ losses: JobScheduler.LostLeases, void: Set<PostID>) {
    self.losses.increment(by: losses.requeued.count + losses.dead.count)
    let posts = losses.dead.compactMap(\.post)
    let buried = posts.filter { !void.contains($0) }
    dead.increment(by: buried.count)
    deleted.increment(by: posts.count - buried.count)
    for post in buried { logDead(post, ["post": "\(post)", "code": "workers_lost"]) }
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
      metadata["attempts"] = "\(attempts)"
      metadata["pauseMs"] = "\(pauseMs)"
      logger.debug("try failed", metadata: metadata)
    case .dead(let reason, let attempts):
      if let attempts { metadata["attempts"] = "\(attempts)" }
      metadata["code"] = "\(reason.code)"
      metadata["detail"] = "\(reason.detail)"
      logDead(post, metadata)
    case .leaseLost: break
    }
  }

  /// So many a second; the others only where somebody wants to see everything. Each is in the queue's list.
  private func logDead(_ post: PostID, _ metadata: Logger.Metadata) {
    let isAdmitted = logLimiter.withLock { $0.admit("\(post)", nowMs: Reactor.nowMs) } != nil
    logger.log(level: isAdmitted ? .notice : .debug, "post dead", metadata: metadata)
  }
}
