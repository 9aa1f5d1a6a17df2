import Domain
import Logging
import Messaging
import Metrics
import Store
import Synchronization
import Web

/// The path of posts from the API to the map. The pipeline accepts posts into the store, passes them to the job link,
/// and settles each when a worker has sent its result.
///
/// Threads: requests come from any task, results from the job link's reactor, completions and changes from the store.
/// The `async` methods wait for the store or for a worker. All other methods return immediately.
final class PostPipeline: Sendable {
  let database: any PostStore & PostReader
  let jobs: CommandQueue<JobServer.Command>
  private let changes: CommandQueue<[FeedChange]>
  /// The list for HTTP clients.
  let latest: LatestListCache
  let lookups: Lookups
  private let logger: Logger
  private let waiters = Waiters<PostID, Void>(max: Limits.waitersMax)
  let meters: QueueMeters
  /// Number of accepted posts that are not settled.
  let depth: Atomic<Int>
  /// Maximum wait of a queued post, in milliseconds. Ingest refuses new posts with 503 while a post waits longer.
  let waitMaxMs: Int64
  /// True if a ready post has waited for `waitMaxMs` or longer.
  private let hasExceededMaxWait = Atomic(false)
  private let flow = Mutex(PostFlow())
  /// Rate limiter of posts by account. Nil if there is no limit.
  private let rates: Mutex<PostRateLimiter?>
  /// True if only accounts with a confirmed email address may post.
  private let requiresConfirmedEmail: Bool

  init(
    database: any PostStore & PostReader, jobs: CommandQueue<JobServer.Command>, changes: CommandQueue<[FeedChange]>,
    lookups: Lookups,
    depth: Int, waitMaxMs: Int64, postsPerMinute: Int?, requiresConfirmedEmail: Bool = false, logger: Logger
  ) {
    self.database = database
    self.jobs = jobs
    self.changes = changes
    latest = LatestListCache(database: database)
    self.lookups = lookups
    self.logger = logger
    meters = QueueMeters(logger: logger)
    self.depth = Atomic(depth)
    self.waitMaxMs = waitMaxMs
    rates = Mutex(postsPerMinute.map(PostRateLimiter.init))
    self.requiresConfirmedEmail = requiresConfirmedEmail
    database.changes.observe { [weak self] change in self?.process(change) }
  }

  /// True if the backlog is full. Ingest then refuses further posts.
  var isFull: Bool { depth.load(ordering: .relaxed) >= Limits.queueDepthMax }

  /// True if a post has waited `waitMaxMs` for a worker. Ingest then refuses further posts.
  var waitsTooLong: Bool { hasExceededMaxWait.load(ordering: .relaxed) }

  /// Returns the problem of an account that may neither post nor edit. Nil if it may. Check this before `accept` and
  /// `edit`.
  func refusal(of account: Account) -> Problem? {
    requiresConfirmedEmail && !account.isEmailConfirmed ? .emailUnconfirmed : nil
  }

  /// Returns the pace of posts at a time of `Reactor.nowMs`. Any thread.
  func pace(nowMs: Int64) -> PostFlow.Pace { flow.withLock { $0.pace(nowMs: nowMs) } }

  private func record(_ posts: Int) {
    let nowMs = Reactor.nowMs
    flow.withLock { $0.record(posts, nowMs: nowMs) }
  }

  /// Records the longest wait of a ready post, in milliseconds. Call this at each heartbeat. Thread: the reactor.
  func recordQueueWait(_ longestMs: Int64) {
    let isLate = longestMs >= waitMaxMs
    guard hasExceededMaxWait.exchange(isLate, ordering: .relaxed) != isLate else { return }
    if isLate {
      logger.warning("backlog stalled: refusing posts", metadata: ["longest_wait_ms": "\(longestMs)"])
    } else {
      logger.notice("backlog recovered: accepting posts", metadata: ["longest_wait_ms": "\(longestMs)"])
    }
  }

  /// Accepts a post. On return the post and its job are durable.
  ///
  /// - Parameter waits: True if the caller will call `outcome` with the id.
  /// - Returns: The accepted post, and true if the caller may wait for its outcome.
  /// - Throws: `IdempotencyConflict`, `StoreError`, or a `Problem` if the backlog or the account's rate limit has no
  ///   slot.
  func accept(
    _ submission: Submission, account: AccountID, idempotency: Idempotency?, waits: Bool
  ) async throws -> (accepted: AcceptedPost, waits: Bool) {
    let (capacity, refusal) = reserve(1, for: account)
    guard capacity == 1 else {
      // A post that is already stored needs no slot.
      guard let idempotency, let earlier = try await database.accepted(idempotency, account: account) else {
        throw refusal
      }
      let accepted = try earlier.get()
      return (accepted, waits && waiters.register(accepted.id))
    }
    return try await withCheckedThrowingContinuation { continuation in
      let completion = CommitCompletion<[Acceptance]> { [self] result in
        switch result.map(\.first) {
        case .success(.accepted(let accepted)):
          // Register before a worker can get the job. Otherwise its outcome could come first.
          let mayWait = waits && waiters.register(accepted.id)
          if let job = accepted.job {
            jobs.enqueue(.committed(.accepted([job])))
            meters.overHTTP.increment()
          } else {
            releaseSlots(1, to: account)
          }
          continuation.resume(returning: (accepted, mayWait))
        case .success(.conflict):
          releaseSlots(1, to: account)
          continuation.resume(throwing: IdempotencyConflict())
        case .success(.backlogFull), .success(nil): preconditionFailure("The post has a slot in the backlog.")
        case .failure(let error):
          releaseSlots(1, to: account)
          continuation.resume(throwing: error)
        }
      }
      database.accept(
        [NewPost(submission, idempotency)], account: account, capacity: 1, unixMs: WallClock.unixMs,
        completion: completion)
    }
  }

  /// Accepts posts of one account in one transaction.
  ///
  /// - Parameter then: Called with the acceptance of each post, and the problem for posts without a slot in the
  ///   backlog. Runs on the thread of a `CommitCompletion`.
  func accept(
    _ posts: [NewPost], account: AccountID, counting counter: Counter,
    then: @escaping @Sendable (Result<[Acceptance], StoreError>, _ refusal: Problem) -> Void
  ) {
    let (capacity, refusal) = reserve(posts.count, for: account)
    let completion = CommitCompletion<[Acceptance]> { [self] result in
      let accepted = (try? result.get().compactMap(\.job)) ?? []
      if accepted.count < capacity { releaseSlots(capacity - accepted.count, to: account) }
      if !accepted.isEmpty {
        jobs.enqueue(.committed(.accepted(accepted)))
        counter.increment(by: accepted.count)
      }
      then(result, refusal)
    }
    database.accept(posts, account: account, capacity: capacity, unixMs: WallClock.unixMs, completion: completion)
  }

  /// Reserves up to `count` slots in the backlog. Release unused slots with `releaseSlots`.
  ///
  /// - Returns: The number of reserved slots, and the problem for the other posts.
  private func reserve(_ count: Int, for account: AccountID) -> (capacity: Int, refusal: Problem) {
    guard !hasExceededMaxWait.load(ordering: .relaxed) else { return (0, .maxWaitExceeded) }
    let (allowed, refusal) = consumeRate(count, of: account)
    record(allowed)
    let excess = depth.add(allowed, ordering: .relaxed).newValue - Limits.queueDepthMax
    guard excess > 0 else { return (allowed, refusal ?? .busy) }
    let capacity = max(0, allowed - excess)
    releaseSlots(allowed - capacity, to: account)
    return (capacity, .busy)
  }

  private func releaseSlots(_ count: Int, to account: AccountID) {
    depth.subtract(count, ordering: .relaxed)
    refundRate(count, of: account)
  }

  /// Consumes up to `count` tokens of the account's rate limiter. Returns the number of allowed posts, and the problem
  /// for the others.
  func consumeRate(_ count: Int, of account: AccountID) -> (allowed: Int, refusal: Problem?) {
    rates.withLock { rates in
      guard rates != nil else { return (count, nil) }
      let nowMs = Reactor.nowMs
      let allowed = rates?.consume(count, by: account, nowMs: nowMs) ?? count
      guard allowed < count, let pauseMs = rates?.pauseMs(of: account, nowMs: nowMs) else { return (allowed, nil) }
      return (allowed, .tooManyPosts(pauseMs: pauseMs))
    }
  }

  /// Consumes tokens for `count` edits, or none. Returns nil if the account may make them now, otherwise the problem.
  func consumeWholeRate(_ count: Int, of account: AccountID) -> Problem? {
    guard count > 0 else { return nil }
    let pauseMs = rates.withLock { $0?.consumeAll(count, by: account, nowMs: Reactor.nowMs) ?? 0 }
    return pauseMs > 0 ? .tooManyPosts(pauseMs: pauseMs) : nil
  }

  /// Returns unused tokens to the account's rate limiter.
  func refundRate(_ count: Int, of account: AccountID) {
    rates.withLock { $0?.refund(count, to: account) }
  }

  /// Processes a durable change of the store, before the client of the write gets its response.
  private func process(_ change: StoreChange) {
    switch change {
    case .settled(let posts), .unlisted(let posts): waiters.complete(posts, ())
    case .list, .paused, .account, .session: break
    }
    if let committed = change.committed { jobs.enqueue(.committed(committed)) }
  }

  /// Waits until the post is settled, up to a timeout, or until `onWaitEnd` calls back. The store holds the outcome.
  ///
  /// - Parameter onWaitEnd: Receives a callback. Call the callback to end the wait.
  func outcome(
    of id: PostID, withinMs: Int64, onWaitEnd: (@escaping @Sendable () -> Void) -> Void = { _ in }
  ) async {
    _ = await waiters.outcome(of: id, withinMs: withinMs, onWaitEnd: onWaitEnd)
  }

  /// Waits until a post is no longer queued, like `outcome`. Returns immediately if another request waits for the post.
  func settlement(
    of id: PostID, withinMs: Int64, onWaitEnd: (@escaping @Sendable () -> Void) -> Void = { _ in }
  ) async throws {
    guard waiters.register(id) else { return }
    do {
      guard try await database.post(id)?.state == .queued else { return cancelWait(id) }
    } catch {
      cancelWait(id)
      throw error
    }
    await outcome(of: id, withinMs: withinMs, onWaitEnd: onWaitEnd)
  }

  /// Cancels all waits for outcomes, at the shutdown.
  func endWaits() { waiters.cancelAll() }

  /// Cancels the wait for a post that is already settled.
  func cancelWait(_ id: PostID) { waiters.cancel(id) }

  /// Performs an effect of the core. Never waits. Thread: the reactor.
  func perform(_ effect: IngestCore.Effect) {
    switch effect {
    case .store(let write): store(write)
    case .lookupEnded(let lookup, let outcome): lookups.complete(lookup, outcome)
    case .publish(let changes): self.changes.enqueue(changes)
    case .settled(let settlements, let void): meters.count(settlements, void: void)
    case .lossesCounted(let losses, let void): meters.count(losses, void: void)
    case .leftQueue(let posts): depth.subtract(posts.count, ordering: .relaxed)
    case .send, .log: preconditionFailure("JobServer performs these.")
    }
  }

  private func store(_ write: IngestCore.Write) {
    let records = write.records
    if case .settle = write { record(records.count) }
    let completion = CommitCompletion<SettlementResult> { [self] result in
      switch result {
      case .success(let stored): jobs.enqueue(.committed(.written(write, stored)))
      case .failure(let error):
        if !error.isFull {
          logger.error("\(write.failure)", metadata: ["error": "\(error)"])
        }
        jobs.enqueue(.committed(.written(write, nil)))
      }
    }
    database.settle(records, unixMs: WallClock.unixMs, completion: completion)
  }
}

extension IngestCore.Write {
  /// Log message for a write that failed.
  fileprivate var failure: String {
    switch self {
    case .settle: "result commit failed: workers resend"
    case .countLosses: "lost-lease commit failed"
    }
  }
}
