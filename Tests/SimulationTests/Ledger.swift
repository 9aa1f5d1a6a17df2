@testable import Domain

/// What is on disk, as a bystander has seen it, and the promises: what holds at every step, and what is wrong.
/// `Simulation.checkEnd` has the rules that must hold at the end of a run.
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
    /// Of an edited post.
    var link: String?
    /// Failed tries and lost workers since it was accepted or brought back.
    var attempts = 0
    var losses = 0
    /// Losses that ingest counts, and that are not on disk: on their way, or refused.
    var unstoredLosses = 0
    /// Workers that it has ended while it was theirs, and while it was not, since then.
    var kills = 0
    var strayKills = 0
    /// An operator has brought it back: ingest knows its earlier leases no more.
    var isRevived = false
    /// Time before which it does not go out again.
    var restsUntilMs = Int64.min
    /// Time before which it does not go out after a restart. On disk a pause counts from the moment when ingest has
    /// submitted the settlement.
    var storedRestMs = Int64.min
    /// Repeated HELLOs of its worker that did not name it: then no worker is blamed.
    var excuses = 0
    /// Burials that the disk has refused. After each the job goes out once more.
    var refusedBurials = 0
  }

  /// What is wrong; the run ends with the first.
  private(set) var violations: [String] = []
  var posts: [PostID: Entry] = [:]
  var queued: Set<PostID> = []
  private(set) var isPaused = false
  private var keys: [String: PostID] = [:]
  /// Leases whose result is on disk, or changes nothing there.
  private var answered: Set<Lease> = []
  /// Leases under which a worker's result has come: a place, or that there is none.
  private var found: Set<Lease> = []
  /// The same for failures.
  private var failed: [Lease: [JobOutcome.Failure]] = [:]
  /// Deleted posts whose job has come to its end.
  private var voided: Set<PostID> = []
  var seq: UInt64 = 0
  private var lastToken: UInt64 = 0
  private var lastRemoteMs = Int64.min / 2
  /// How often ingest has been started again.
  private(set) var restarts = 0

  mutating func recordViolation(_ text: String) { violations.append(text) }

  mutating func expect(_ isTrue: Bool, _ text: @autoclosure () -> String) {
    if !isTrue { recordViolation(text()) }
  }

  // MARK: - What goes to the disk

  mutating func accept(_ id: PostID, _ account: AccountID, key: String, place: String, isNew: Bool) {
    guard isNew else { return expect(keys[key] == id, "key \(key) is said to be another post") }
    expect(keys[key] == nil, "key \(key) is stored a second time")
    expect(posts[id] == nil, "post \(id) has another one's id")
    posts[id] = Entry(account: account, place: place)
    keys[key] = id
    queued.insert(id)
  }

  /// The job of a post that is deleted has come to an end that changes nothing.
  mutating func void(_ id: PostID) {
    expect(posts[id]?.fate == .deleted, "post \(id) is settled for nothing")
    voided.insert(id)
  }

  /// - Parameter entry: what the store says is new on the list.
  mutating func publish(_ id: PostID, _ entry: FeedEntry?) {
    guard end(id, .published(seq: seq + 1)) else {
      return expect(entry == nil, "post \(id) is published a second time")
    }
    seq += 1
    let next = seq
    expect(entry?.seq == next, "the number after \(next - 1) is \(entry?.seq ?? 0)")
    let place = posts[id]?.place ?? ""
    expect(entry?.place == place && entry?.label == "Here: \(place)", "post \(id) is published as something else")
    expect(PlaceBehaviour(of: place) != .poison && PlaceBehaviour(of: place) != .broken, "\(place) is published")
  }

  /// False when it was settled before.
  @discardableResult
  mutating func end(_ id: PostID, _ fate: Fate) -> Bool {
    expect(posts[id] != nil, "post \(id) is settled, and is not there")
    expect(posts[id]?.fate == .queued, "post \(id) is settled a second time")
    guard posts[id]?.fate == .queued else { return false }
    posts[id]?.fate = fate
    queued.remove(id)
    return true
  }

  mutating func retry(_ id: PostID, attempts: Int, under lease: Lease, pauseMs: Int64, submittedMs: Int64, nowMs: Int64)
  {
    expect(posts[id]?.fate == .queued, "post \(id) is tried again, and is settled")
    expect(posts[id]?.attempts == attempts - 1, "post \(id) has miscounted attempts")
    expect(attempts < Limits.attemptsMax, "post \(id) is tried too often")
    let failures = failed[lease]?.filter { $0.kind == .transient } ?? []
    expect(!failures.isEmpty, "post \(id) is tried again, and has not failed for a while")
    expect(pauseMs >= failures.map(\.retryAfterMs).min() ?? 0, "post \(id) is tried earlier than its worker asked for")
    posts[id]?.attempts = attempts
    posts[id]?.restsUntilMs = nowMs + pauseMs
    posts[id]?.storedRestMs = submittedMs + pauseMs
  }

  /// A post pauses, and only ingest's memory knows it.
  mutating func rest(_ id: PostID, untilMs: Int64) {
    posts[id]?.restsUntilMs = untilMs
    posts[id]?.storedRestMs = .min
  }

  /// A post is given up over a failure.
  mutating func makeDead(_ id: PostID, attempts: Int, under lease: Lease) {
    expect(
      failed[lease]?.contains { $0.kind == .permanent || $0.kind == .transient && attempts >= Limits.attemptsMax }
        == true, "post \(id) is given up after \(attempts) attempts")
    end(id, .dead)
  }

  /// Ingest counts lost workers, and submits that.
  mutating func count(_ losses: JobScheduler.LostLeases) {
    for id in (losses.requeued + losses.dead).compactMap(\.post) { posts[id]?.unstoredLosses += 1 }
  }

  /// A lost worker is counted on disk.
  mutating func lose(_ id: PostID) {
    posts[id]?.losses += 1
    posts[id]?.unstoredLosses -= 1
  }

  mutating func retryDead(_ id: PostID) {
    expect(posts[id]?.fate == .dead, "post \(id) comes back, and is not dead")
    guard let entry = posts[id] else { return }
    posts[id] = Entry(account: entry.account, place: entry.place)
    posts[id]?.isRevived = true
    queued.insert(id)
  }

  mutating func drop(_ id: PostID) {
    expect(posts[id]?.fate == .dead, "post \(id) is dropped, and is not dead")
    posts[id]?.fate = .rejected
  }

  mutating func pause(_ isPaused: Bool) { self.isPaused = isPaused }

  /// A worker's result has come to ingest. Nothing is stored of a lookup, nor of a job that its worker has not started.
  mutating func report(_ result: JobResult) {
    if result.lease.job.isLookup { answer(result.lease) }
    switch result.reply {
    case .outcome(.failed(let failure)):
      failed[result.lease, default: []].append(failure)
      if failure.kind == .notStarted { answer(result.lease) }
    case .outcome:
      found.insert(result.lease)
      // Where it cannot be stored, the job goes out again soon.
      if let id = result.lease.job.post {
        posts[id]?.restsUntilMs = .min
        posts[id]?.storedRestMs = .min
      }
    case .needsRemote: break
    }
  }

  /// A worker has failed under this lease.
  func isFailed(_ lease: Lease) -> Bool { failed[lease] != nil }

  /// A worker has found under this lease what there is, and never failed.
  func isFound(_ lease: Lease) -> Bool { found.contains(lease) && failed[lease] == nil }

  /// The result under this lease is on disk, or there is nothing to store of it.
  mutating func answer(_ lease: Lease) { answered.insert(lease) }

  // MARK: - What is said

  mutating func recordReply(_ lease: Lease, _ disposition: Disposition) {
    switch disposition {
    case .committed: expect(answered.contains(lease), "job \(lease.job.rawValue) is acknowledged before its commit")
    case .duplicate, .stale, .retryLater: break
    }
  }

  mutating func recordReply(key: String, _ id: PostID) {
    expect(posts[id] != nil, "key \(key) is answered before its commit")
    expect(keys[key] == id, "key \(key) is answered with another post")
  }

  mutating func lease(_ assignment: JobScheduler.Assignment, remoteIntervalMs: Int64, nowMs: Int64) {
    let (job, token) = (assignment.job, assignment.lease.token)
    expect(token > lastToken, "token \(token) does not rise")
    lastToken = max(lastToken, token)
    if job.isRemote {
      let betweenMs = nowMs - lastRemoteMs
      expect(betweenMs >= remoteIntervalMs, "leave is given twice within \(betweenMs) ms")
      lastRemoteMs = nowMs
    }
    guard let id = job.id.post, let entry = posts[id] else {
      return expect(job.id.isLookup, "job \(job.id.rawValue) goes out before its commit")
    }
    // A deleted post's job goes on.
    expect(entry.fate == .queued || entry.fate == .deleted, "job \(job.id.rawValue) goes out although it is settled")
    expect(!voided.contains(id), "job \(job.id.rawValue) goes out again although its post is deleted")
    expect(nowMs >= entry.restsUntilMs, "job \(job.id.rawValue) goes out \(entry.restsUntilMs - nowMs) ms too early")
    expect(entry.attempts == job.attempts, "job \(job.id.rawValue) goes out with miscounted attempts")
    expect(
      job.leaseLosses < Limits.leaseLossesMax + entry.refusedBurials,
      "job \(job.id.rawValue) goes out after \(job.leaseLosses) lost workers")
    expect(
      job.leaseLosses <= entry.losses + entry.unstoredLosses,
      "job \(job.id.rawValue) goes out with \(job.leaseLosses) lost workers instead of \(entry.losses)")
  }

  // MARK: - Who ends whom

  mutating func kill(_ lease: Lease, isCurrent: Bool) {
    guard let id = lease.job.post else { return }
    if isCurrent { posts[id]?.kills += 1 } else { posts[id]?.strayKills += 1 }
    let kills = posts[id]?.kills ?? 0
    let excuses = (posts[id]?.excuses ?? 0) + (posts[id]?.refusedBurials ?? 0)
    // Ingest forgets what it had not yet noticed.
    expect(kills <= Limits.leaseLossesMax + restarts + excuses, "job \(lease.job.rawValue) has ended \(kills) workers")
  }

  mutating func excuse(_ jobs: Set<JobID>) {
    for id in jobs.compactMap(\.post) { posts[id]?.excuses += 1 }
  }

  mutating func refuseBurial(_ jobs: [JobID]) {
    for id in jobs.compactMap(\.post) { posts[id]?.refusedBurials += 1 }
  }

  /// What ingest has read from the disk at its start.
  mutating func start(_ jobs: [Job], isPaused: Bool) {
    restarts += 1
    voided = []
    for (id, entry) in posts {
      posts[id]?.restsUntilMs = entry.storedRestMs
      posts[id]?.unstoredLosses = 0
    }
    expect(Set(jobs.compactMap(\.id.post)) == queued, "other posts are queued after the start than before")
    for job in jobs {
      guard let id = job.id.post, let entry = posts[id] else { continue }
      expect(
        job.attempts == entry.attempts && job.leaseLosses == entry.losses,
        "post \(id) has lost a count: \(job.attempts) of \(entry.attempts), \(job.leaseLosses) of \(entry.losses)")
    }
    expect(isPaused == self.isPaused, "the pause is another one after the start")
  }
}
