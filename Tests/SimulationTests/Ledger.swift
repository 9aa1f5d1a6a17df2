@testable import Domain

/// Independent record of the committed data, with the rules that must hold at every step. `Simulation.checkEnd` has the
/// rules for the end of a run.
struct Ledger {
  enum Fate: Equatable {
    case queued
    case published(seq: UInt64)
    case rejected
    case dead
    case deleted
  }

  struct Entry {
    let account: AccountID
    let place: String
    var fate = Fate.queued
    /// Link of an edited post. Nil for any other.
    var link: String?
    /// Failed attempts since the post was accepted, or retried after its death.
    var attempts = 0
    /// Committed lost leases since the post was accepted, or retried after its death.
    var losses = 0
    /// Losses that ingest has counted in memory, but not on disk.
    var unstoredLosses = 0
    /// Number of workers that the post has crashed under its current lease.
    var kills = 0
    /// Number of workers that the post has crashed under an earlier lease.
    var staleKills = 0
    /// True if an operator has retried the dead post. Ingest has then forgotten its earlier leases.
    var isRetriedDead = false
    /// Time before which the job must not be leased.
    var delayedUntilMs = Int64.min
    /// Time before which the job must not be leased after a restart. On disk a pause starts when ingest submits the
    /// settlement.
    var storedDelayUntilMs = Int64.min
    /// Number of times that the job was requeued without a stored loss: after a HELLO that did not name it, or a
    /// refused write.
    var requeuesWithoutLoss = 0
    /// Number of writes of the post's death that the disk has refused. After each of them, the job goes out once more.
    var refusedDeaths = 0
  }

  /// Violated rules. The run ends with the first one.
  private(set) var violations: [String] = []
  var posts: [PostID: Entry] = [:]
  var queued: Set<PostID> = []
  private(set) var isPaused = false
  private var keys: [String: PostID] = [:]
  /// Leases whose result is committed or needs no write.
  private var acknowledgeable: Set<Lease> = []
  /// Leases with a success: a place, or not found.
  private var found: Set<Lease> = []
  /// Failures by lease.
  private var failed: [Lease: [JobOutcome.Failure]] = [:]
  /// Deleted posts whose job has ended.
  private var settledDeleted: Set<PostID> = []
  /// Posts whose acceptance the database has lost.
  private(set) var lost: Set<PostID> = []
  var seq: UInt64 = 0
  private var lastToken: UInt64 = 0
  private var lastRemoteMs = Int64.min / 2
  /// Number of starts of ingest.
  private(set) var ingestStarts = 0

  mutating func recordViolation(_ text: String) { violations.append(text) }

  mutating func expect(_ isTrue: Bool, _ text: @autoclosure () -> String) {
    if !isTrue { recordViolation(text()) }
  }

  // MARK: - Commits

  mutating func accept(_ id: PostID, _ account: AccountID, key: String, place: String, isNew: Bool) {
    guard isNew else { return expect(keys[key] == id, "key \(key) is reported as another post") }
    expect(keys[key] == nil, "key \(key) is stored a second time")
    expect(posts[id] == nil, "post \(id) reuses the id of another post")
    posts[id] = Entry(account: account, place: place)
    keys[key] = id
    queued.insert(id)
  }

  /// Records that the job of a deleted post has ended without effect.
  mutating func settleDeleted(_ id: PostID) {
    expect(posts[id]?.fate == .deleted, "post \(id) is reported as not queued without being deleted")
    settledDeleted.insert(id)
  }

  /// - Parameter entry: The new list entry that the store reports. Nil for none.
  mutating func publish(_ id: PostID, _ entry: FeedEntry?) {
    guard end(id, .published(seq: seq + 1)) else {
      return expect(entry == nil, "post \(id) is published a second time")
    }
    seq += 1
    let next = seq
    expect(entry?.seq == next, "the sequence number after \(next - 1) is \(entry?.seq ?? 0)")
    let place = posts[id]?.place ?? ""
    expect(entry?.place == place && entry?.label == "Here: \(place)", "post \(id) is published with another place")
    expect(PlaceBehaviour(of: place) != .poison && PlaceBehaviour(of: place) != .broken, "\(place) is published")
  }

  /// Records the end of a queued post. Returns false if the post was settled before.
  @discardableResult
  mutating func end(_ id: PostID, _ fate: Fate) -> Bool {
    expect(posts[id] != nil, "post \(id) is settled but unknown")
    expect(posts[id]?.fate == .queued, "post \(id) is settled a second time")
    guard posts[id]?.fate == .queued else { return false }
    posts[id]?.fate = fate
    queued.remove(id)
    return true
  }

  mutating func retry(_ id: PostID, attempts: Int, under lease: Lease, pauseMs: Int64, submittedMs: Int64, nowMs: Int64)
  {
    expect(posts[id]?.fate == .queued, "post \(id) is retried after its settlement")
    expect(posts[id]?.attempts == attempts - 1, "post \(id) has miscounted attempts")
    expect(attempts < Limits.attemptsMax, "post \(id) is retried too often")
    let failures = failed[lease]?.filter { $0.kind == .transient } ?? []
    expect(!failures.isEmpty, "post \(id) is retried without a transient failure")
    expect(
      pauseMs >= failures.map(\.retryAfterMs).min() ?? 0,
      "post \(id) is retried earlier than its worker asked for")
    posts[id]?.attempts = attempts
    posts[id]?.delayedUntilMs = nowMs + pauseMs
    posts[id]?.storedDelayUntilMs = submittedMs + pauseMs
  }

  /// Records a pause of a job that exists only in ingest's memory.
  mutating func delay(_ id: PostID, untilMs: Int64) {
    posts[id]?.delayedUntilMs = untilMs
    posts[id]?.storedDelayUntilMs = .min
  }

  /// Records the death of a post after a failure.
  mutating func makeDead(_ id: PostID, attempts: Int, under lease: Lease) {
    expect(
      failed[lease]?.contains { $0.kind == .permanent || $0.kind == .transient && attempts >= Limits.attemptsMax }
        == true, "post \(id) is dead after \(attempts) attempts")
    end(id, .dead)
  }

  /// Records losses that ingest has counted and submitted.
  mutating func count(_ losses: JobScheduler.LostLeases) {
    for id in (losses.requeued + losses.dead).compactMap(\.post) { posts[id]?.unstoredLosses += 1 }
  }

  /// Records a committed loss.
  mutating func lose(_ id: PostID) {
    posts[id]?.losses += 1
    posts[id]?.unstoredLosses -= 1
  }

  mutating func retryDead(_ id: PostID) {
    expect(posts[id]?.fate == .dead, "post \(id) is retried although it is not dead")
    guard let entry = posts[id] else { return }
    posts[id] = Entry(account: entry.account, place: entry.place)
    posts[id]?.isRetriedDead = true
    queued.insert(id)
  }

  mutating func discard(_ id: PostID) {
    expect(posts[id]?.fate == .dead, "post \(id) is discarded although it is not dead")
    posts[id]?.fate = .rejected
  }

  mutating func pause(_ isPaused: Bool) { self.isPaused = isPaused }

  /// Records a result that has arrived at ingest. A lookup, or a job that was not started, needs no write.
  mutating func report(_ result: JobResult) {
    if result.lease.job.isLookup { allowAcknowledgement(of: result.lease) }
    switch result.reply {
    case .outcome(.failed(let failure)):
      failed[result.lease, default: []].append(failure)
      if failure.kind == .notStarted { allowAcknowledgement(of: result.lease) }
    case .outcome:
      found.insert(result.lease)
      // If the write fails, the job goes out again soon.
      if let id = result.lease.job.post {
        posts[id]?.delayedUntilMs = .min
        posts[id]?.storedDelayUntilMs = .min
      }
    case .needsRemote: break
    }
  }

  /// True if a worker has reported a failure under this lease.
  func isFailed(_ lease: Lease) -> Bool { failed[lease] != nil }

  /// True if a worker has reported a place or not found under this lease, and no failure.
  func isFound(_ lease: Lease) -> Bool { found.contains(lease) && failed[lease] == nil }

  /// Records that the result under this lease is committed or needs no write.
  mutating func allowAcknowledgement(of lease: Lease) { acknowledgeable.insert(lease) }

  /// Records that the database has lost all commits since a copy of this ledger.
  mutating func rollBack(to copy: Ledger) {
    lost.formUnion(posts.keys.filter { copy.posts[$0] == nil })
    (posts, queued, keys, seq) = (copy.posts, copy.queued, copy.keys, copy.seq)
    (isPaused, settledDeleted) = (copy.isPaused, copy.settledDeleted)
  }

  // MARK: - Acknowledgements, responses and assignments

  mutating func recordAcknowledgement(_ lease: Lease, _ disposition: Disposition) {
    switch disposition {
    case .committed:
      expect(acknowledgeable.contains(lease), "job \(lease.job.rawValue) is acknowledged before its commit")
    case .duplicate, .stale, .retryLater: break
    }
  }

  mutating func recordResponse(key: String, _ id: PostID) {
    expect(posts[id] != nil, "key \(key) has a response before its commit")
    expect(keys[key] == id, "key \(key) has a response with another post")
  }

  mutating func lease(_ assignment: JobScheduler.Assignment, remoteIntervalMs: Int64, nowMs: Int64) {
    let (job, token) = (assignment.job, assignment.lease.token)
    expect(token > lastToken, "token \(token) does not rise")
    lastToken = max(lastToken, token)
    if job.isRemote {
      let betweenMs = nowMs - lastRemoteMs
      expect(betweenMs >= remoteIntervalMs, "two remote permits are granted within \(betweenMs) ms")
      lastRemoteMs = nowMs
    }
    guard let id = job.id.post, let entry = posts[id] else {
      return expect(job.id.isLookup, "job \(job.id.rawValue) goes out before its commit")
    }
    // The job of a deleted post continues until its result.
    expect(entry.fate == .queued || entry.fate == .deleted, "job \(job.id.rawValue) goes out after its settlement")
    expect(!settledDeleted.contains(id), "job \(job.id.rawValue) of a deleted post goes out again")
    expect(
      nowMs >= entry.delayedUntilMs, "job \(job.id.rawValue) goes out \(entry.delayedUntilMs - nowMs) ms too early")
    expect(entry.attempts == job.attempts, "job \(job.id.rawValue) goes out with miscounted attempts")
    expect(
      job.leaseLosses < Limits.leaseLossesMax + entry.refusedDeaths,
      "job \(job.id.rawValue) goes out after \(job.leaseLosses) lost leases")
    expect(
      job.leaseLosses <= entry.losses + entry.unstoredLosses,
      "job \(job.id.rawValue) goes out with \(job.leaseLosses) lost leases instead of \(entry.losses)")
  }

  // MARK: - Poison

  mutating func kill(_ lease: Lease, isCurrent: Bool) {
    guard let id = lease.job.post else { return }
    if isCurrent { posts[id]?.kills += 1 } else { posts[id]?.staleKills += 1 }
    let kills = posts[id]?.kills ?? 0
    let uncounted = (posts[id]?.requeuesWithoutLoss ?? 0) + (posts[id]?.refusedDeaths ?? 0)
    // Each start of ingest forgets losses that ingest had not noticed yet.
    expect(
      kills <= Limits.leaseLossesMax + ingestStarts + uncounted,
      "job \(lease.job.rawValue) has crashed \(kills) workers")
  }

  mutating func requeueWithoutLoss(_ jobs: Set<JobID>) {
    for id in jobs.compactMap(\.post) { posts[id]?.requeuesWithoutLoss += 1 }
  }

  mutating func refuseDeaths(_ jobs: [JobID]) {
    for id in jobs.compactMap(\.post) { posts[id]?.refusedDeaths += 1 }
  }

  /// Checks the jobs and the pause that ingest has read at its start.
  mutating func start(_ jobs: [Job], isPaused: Bool) {
    ingestStarts += 1
    settledDeleted = []
    for (id, entry) in posts {
      posts[id]?.delayedUntilMs = entry.storedDelayUntilMs
      posts[id]?.unstoredLosses = 0
    }
    expect(Set(jobs.compactMap(\.id.post)) == queued, "the queued posts after the start differ from those before")
    for job in jobs {
      guard let id = job.id.post, let entry = posts[id] else { continue }
      expect(
        job.attempts == entry.attempts && job.leaseLosses == entry.losses,
        "post \(id) has lost a count: \(job.attempts) of \(entry.attempts), \(job.leaseLosses) of \(entry.losses)")
    }
    expect(isPaused == self.isPaused, "the pause differs after the start")
  }
}
