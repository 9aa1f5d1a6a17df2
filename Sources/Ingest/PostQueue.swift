import Link
import Logging
import Metrics
import OnTheMap
import Store
import Synchronization
import Web

/// Posts on their way from the door to the map: accepted into the store, handed to the job link, and settled when a
/// worker has answered.
///
/// Threads: requests come from any task; results from the job link's reactor; ends of commits from the store.
/// Nothing here waits but `accept` and `outcome`.
final class PostQueue: Sendable {
  let database: IngestDatabase
  let jobs: Inbox<JobServer.Command>
  private let changes: Inbox<[FeedChange]>
  /// The list as it is asked for over HTTP.
  let latest: LatestBytes
  let lookups: Lookups
  private let logger: Logger
  private let waiters = Waiters<PostID, Void>(max: Limits.waitersMax)
  let meters: QueueMeters
  /// Posts accepted and not yet settled.
  let depth: Atomic<Int>
  /// When a post has waited for a worker for so long, no more are taken.
  let waitMaxMs: Int64
  /// Whether one has.
  private let isBehind = Atomic(false)
  private let flow = Mutex(PostFlow())
  /// Nil where an account may post as fast as it can.
  private let rates: Mutex<PostRates?>

  init(
    database: IngestDatabase, jobs: Inbox<JobServer.Command>, changes: Inbox<[FeedChange]>, lookups: Lookups,
    depth: Int, waitMaxMs: Int64, postsPerMinute: Int?, logger: Logger
  ) {
    self.database = database
    self.jobs = jobs
    self.changes = changes
    latest = LatestBytes(database: database)
    self.lookups = lookups
    self.logger = logger
    meters = QueueMeters(logger: logger)
    self.depth = Atomic(depth)
    self.waitMaxMs = waitMaxMs
    rates = Mutex(postsPerMinute.map(PostRates.init))
  }

  /// True if the backlog is full: ingest refuses further posts.
  var isFull: Bool { depth.load(ordering: .relaxed) >= Limits.queueDepthMax }

  /// True if a post has waited `waitMaxMs` for a worker: ingest refuses further posts.
  var waitsTooLong: Bool { isBehind.load(ordering: .relaxed) }

  /// Pace of posts at a time of `Reactor.nowMs`. Any thread.
  func pace(nowMs: Int64) -> PostFlow.Pace { flow.withLock { $0.pace(nowMs: nowMs) } }

  private func record(_ posts: Int) {
    let nowMs = Reactor.nowMs
    flow.withLock { $0.record(posts, nowMs: nowMs) }
  }

  /// How long the post has waited for a worker that has done so longest. On the reactor's thread, each heartbeat.
  func waited(_ longestMs: Int64) {
    let isLate = longestMs >= waitMaxMs
    guard isBehind.exchange(isLate, ordering: .relaxed) != isLate else { return }
    if isLate {
      logger.warning("posts are refused: one waits too long for a worker", metadata: ["ms": "\(longestMs)"])
    } else {
      logger.notice("posts are taken again: none waits too long for a worker")
    }
  }

  /// Takes a post. On disk on return, with its job.
  ///
  /// - Parameter waits: whether `outcome` will be called with the id.
  /// - Returns: what was made, and whether it may be waited for.
  func accept(
    _ submission: Submission, account: AccountID, idempotency: IngestDatabase.Idempotency?, waits: Bool
  ) async throws -> (accepted: IngestDatabase.Accepted, waits: Bool) {
    let (room, refusal) = reserve(1, for: account)
    guard room == 1 else {
      // What is stored already needs no room.
      guard let idempotency, let earlier = try await database.accepted(idempotency, account: account) else {
        throw refusal
      }
      let accepted = try earlier.get()
      return (accepted, waits && waiters.expect(accepted.id))
    }
    return try await withCheckedThrowingContinuation { continuation in
      database.accept(submission, account: account, idempotency: idempotency, unixMs: WallClock.unixMs) {
        [self] result in
        switch result {
        case .success(.success(let accepted)):
          // Before a worker can see it: otherwise its outcome could come first.
          let expected = waits && waiters.expect(accepted.id)
          if let job = accepted.job {
            jobs.put(.add([job]))
            meters.overHTTP.increment()
          } else {
            giveBack(1, to: account)
          }
          continuation.resume(returning: (accepted, expected))
        case .success(.failure(let conflict)):
          giveBack(1, to: account)
          continuation.resume(throwing: conflict)
        case .failure(let error):
          giveBack(1, to: account)
          continuation.resume(throwing: error)
        }
      }
    }
  }

  /// Takes posts of one account, all in one transaction. `then` is called when they are on disk, with what became of
  /// each, on the store's commits' queue, and with why there was no room for those that found none.
  func accept(
    _ posts: [(submission: Submission, idempotency: IngestDatabase.Idempotency?)], account: AccountID,
    counting counter: Counter,
    then: @escaping @Sendable (Result<[IngestDatabase.Acceptance], StoreError>, _ refusal: Problem) -> Void
  ) {
    let (room, refusal) = reserve(posts.count, for: account)
    database.accept(posts, account: account, room: room, unixMs: WallClock.unixMs) { [self] result in
      let accepted = (try? result.get().compactMap(\.job)) ?? []
      if accepted.count < room { giveBack(room - accepted.count, to: account) }
      if !accepted.isEmpty {
        jobs.put(.add(accepted))
        counter.increment(by: accepted.count)
      }
      then(result, refusal)
    }
  }

  /// Room in the queue, as far as there is some; what is not used is to be given back.
  ///
  /// - Returns: for how many posts there is room, and why there is none for the others.
  private func reserve(_ count: Int, for account: AccountID) -> (room: Int, refusal: Problem) {
    guard !isBehind.load(ordering: .relaxed) else { return (0, .behind) }
    let (allowed, refusal) = allowance(count, of: account)
    record(allowed)
    let over = depth.add(allowed, ordering: .relaxed).newValue - Limits.queueDepthMax
    guard over > 0 else { return (allowed, refusal ?? .busy) }
    let room = max(0, allowed - over)
    giveBack(allowed - room, to: account)
    return (room, .busy)
  }

  private func giveBack(_ count: Int, to account: AccountID) {
    depth.subtract(count, ordering: .relaxed)
    giveBackAllowance(count, of: account)
  }

  /// So many posts as the account may make now, and why not all.
  func allowance(_ count: Int, of account: AccountID) -> (allowed: Int, refusal: Problem?) {
    rates.withLock { rates in
      guard rates != nil else { return (count, nil) }
      let nowMs = Reactor.nowMs
      let allowed = rates?.take(count, by: account, nowMs: nowMs) ?? count
      guard allowed < count, let pauseMs = rates?.pauseMs(of: account, nowMs: nowMs) else { return (allowed, nil) }
      return (allowed, .tooManyPosts(pauseMs: pauseMs))
    }
  }

  /// Counts `count` edits, or none. Returns nil if the account may make them now, else the problem.
  func wholeAllowance(_ count: Int, of account: AccountID) -> Problem? {
    guard count > 0 else { return nil }
    let pauseMs = rates.withLock { $0?.takeAll(count, by: account, nowMs: Reactor.nowMs) ?? 0 }
    return pauseMs > 0 ? .tooManyPosts(pauseMs: pauseMs) : nil
  }

  /// What it was allowed has come to nothing.
  func giveBackAllowance(_ count: Int, of account: AccountID) {
    rates.withLock { $0?.giveBack(count, to: account) }
  }

  /// The list on disk has changed: by rising numbers, and before whoever changed it learns that.
  func tell(_ changes: [FeedChange]) {
    latest.change()
    self.changes.put(changes)
  }

  /// Waits until the post is settled, a time at most. The store tells what became of it.
  func outcome(of id: PostID, withinMs: Int64) async { _ = await waiters.outcome(of: id, withinMs: withinMs) }

  /// Waits until a post is not queued, a time at most. Returns at once where somebody waits for it already.
  func settlement(of id: PostID, withinMs: Int64) async throws {
    guard waiters.expect(id) else { return }
    do {
      guard try await database.post(id)?.state == .queued else { return forget(id) }
    } catch {
      forget(id)
      throw error
    }
    await outcome(of: id, withinMs: withinMs)
  }

  /// The post is deleted: who waits for its outcome need wait no longer.
  func release(_ id: PostID) { waiters.tell(id, ()) }

  /// The post is settled already: nobody waits.
  func forget(_ id: PostID) { waiters.giveUp(id) }

  /// Results that count: checked and stored, all in one transaction, and acknowledged when they are on disk.
  func settle(_ results: [JobServer.Taken]) {
    var random = SystemRandomNumberGenerator()
    var unstored: [JobServer.Finished] = []
    var posts: [(id: PostID, taken: JobServer.Taken, settlement: Settlement)] = []
    for taken in results {
      guard let id = taken.job.id.post else {
        lookups.answer(taken.job.id, taken.result.outcome)
        unstored.append(.gone(taken))
        continue
      }
      let settlement = Settlement(of: taken.result.outcome, job: taken.job, using: &random)
      if case .retry(taken.job.attempts, let pauseMs) = settlement {
        // On disk it is as before.
        unstored.append(.again(taken, attempts: taken.job.attempts, pauseMs: pauseMs))
        meters.count([(id, taken, settlement)])
      } else {
        posts.append((id, taken, settlement))
      }
    }
    if !unstored.isEmpty { jobs.put(.finished(unstored)) }
    guard !posts.isEmpty else { return }
    record(posts.count)
    let settled = posts
    let nowMs = WallClock.unixMs
    let rows = settled.map { (post: $0.id, settlement: row($0.settlement, of: $0.taken, nowMs: nowMs)) }
    database.settle(rows, unixMs: nowMs) { [self] result in
      switch result {
      case .success(let stored):
        if !stored.entries.isEmpty { tell(stored.entries.map { .put($0) }) }
        meters.count(settled, void: stored.void)
        var gone: [PostID] = []
        gone.reserveCapacity(settled.count)
        let finished = settled.map { id, taken, settlement in
          // For what is deleted there is nothing to try again.
          if case .retry(let attempts, let pauseMs) = settlement, !stored.void.contains(id) {
            return JobServer.Finished.again(taken, attempts: attempts, pauseMs: pauseMs)
          }
          gone.append(id)
          return .gone(taken)
        }
        leave(gone)
        jobs.put(.finished(finished))
      case .failure(let error):
        if !error.isFull {
          logger.error("results not stored: workers will send them again", metadata: ["error": "\(error)"])
        }
        jobs.put(.finished(settled.map { .refused($0.taken, pauseMs: 5_000) }))
      }
    }
  }

  /// Workers were lost over jobs: counted on disk; a job that has lost too many is dead.
  func lose(_ losses: Dispatch.Losses) {
    for lookup in losses.lookups { lookups.lose(lookup) }
    let reason = Verdict.Reason(
      code: "workers_lost", detail: "\(Limits.leaseLossesMax) workers were lost while they looked for this place")
    let dead = losses.dead.compactMap(\.post)
    // The loss that ends a post counts too.
    let lost = losses.requeued.compactMap(\.post) + dead
    let rows =
      lost.map { (post: $0, settlement: IngestDatabase.Settlement.leaseLost) }
      + dead.map { (post: $0, settlement: IngestDatabase.Settlement.dead(reason)) }
    guard !rows.isEmpty else { return }
    logger.warning("workers lost over jobs", metadata: ["again": "\(losses.requeued.count)", "dead": "\(dead.count)"])
    database.settle(rows, unixMs: WallClock.unixMs) { [self] result in
      switch result {
      case .success(let stored):
        leave(dead)
        meters.losses.increment(by: lost.count)
        meters.bury(dead, void: stored.void)
        jobs.put(.finished(losses.dead.map { .buried($0) }))
      case .failure(let error):
        if !error.isFull { logger.error("could not record lost leases", metadata: ["error": "\(error)"]) }
        jobs.put(.finished(losses.dead.map { .notBuried($0, pauseMs: 5_000) }))
      }
    }
  }

  private func row(_ settlement: Settlement, of taken: JobServer.Taken, nowMs: Int64) -> IngestDatabase.Settlement {
    switch settlement {
    case .verdict(let verdict): return .verdict(verdict, of: taken.job)
    case .retry(let attempts, let pauseMs):
      var reason: Verdict.Reason?
      if case .failed(let failure) = taken.result.outcome {
        reason = Verdict.Reason(code: failure.code, detail: failure.detail)
      }
      return .retry(attempts: attempts, dueMs: nowMs + pauseMs, reason: reason)
    case .dead(let reason, let attempts): return .dead(reason, attempts: attempts)
    }
  }

  private func leave(_ posts: [PostID]) {
    depth.subtract(posts.count, ordering: .relaxed)
    waiters.tell(posts, ())
  }
}

extension IngestDatabase.Acceptance {
  /// Of a post that is new.
  fileprivate var job: Job? { if case .accepted(let accepted) = self { accepted.job } else { nil } }
}
