import Testing

@testable import Domain

/// A reference to a scheduler at one remote rate, because `#expect` cannot call a mutating function of a value.
private final class SchedulerHarness {
  private var scheduler: JobScheduler

  init(perSecond: Double = 1) { scheduler = JobScheduler(generation: 1, remotePerSecond: perSecond) }

  func join(_ instance: UInt8, intervalMs: Int64?, credit: UInt64 = 200) -> UInt64 {
    guard
      let opened = scheduler.open(
        worker: "w", instance: Array(repeating: instance, count: 16), held: [], remoteIntervalMs: intervalMs, nowMs: 0)
    else { preconditionFailure("The scheduler has a free session for a test.") }
    scheduler.grant(credit, to: opened.session)
    return opened.session
  }

  func add(_ jobs: Job...) { scheduler.add(jobs) }
  func cancel(_ job: Job) { scheduler.cancel(job.id) }
  func close(_ session: UInt64) -> JobScheduler.LostLeases { scheduler.close(session, countsAsLoss: true) }
  func release(_ lease: Lease, of session: UInt64) { scheduler.release([lease], of: session) }
  func recordActivity(_ session: UInt64, nowMs: Int64) { _ = scheduler.recordActivity(session, nowMs: nowMs) }
  func endRemoteWaits() -> [(lease: Lease, job: Job, outcome: JobOutcome)] { scheduler.endRemoteWaits() }
  func settled(_ job: Job) { scheduler.settled(job.id) }
  func evaluate(_ lease: Lease, _ outcome: JobOutcome) -> JobScheduler.ResultDecision {
    scheduler.evaluate(JobResult(lease: lease, outcome: outcome))
  }
  func evaluate(_ lease: Lease, needsRemote found: [Place]) -> JobScheduler.ResultDecision {
    scheduler.evaluate(JobResult(lease: lease, reply: .needsRemote(found)))
  }

  /// Assigns the jobs that are due. Returns each with its session and lease.
  func sent(nowMs: Int64) -> [(session: UInt64, job: Job, lease: Lease)] {
    scheduler.assign(nowMs: nowMs).flatMap { sent in sent.jobs.map { (sent.session, $0.job, $0.lease) } }
  }

  /// Assigns jobs, and requests a remote permit for each.
  func requestPermits(_ jobs: Job..., nowMs: Int64 = 0) -> [JobScheduler.ResultDecision] {
    scheduler.add(jobs)
    return sent(nowMs: nowMs).filter { !$0.job.isRemote }.map { evaluate($0.lease, needsRemote: [.sample(59, 10)]) }
  }

  var nextDueMs: Int64 { scheduler.nextDueMs }
  var remoteCount: Int { scheduler.remoteCount }
  var depth: Int { scheduler.depth }
}

@Suite("JobScheduler: remote permits")
struct JobSchedulerRemoteTests {
  @Test("The scheduler grants one remote permit per interval, only to workers with a provider")
  func rate() {
    let harness = SchedulerHarness()
    let local = harness.join(1, intervalMs: nil)
    let remote = [harness.join(2, intervalMs: 0), harness.join(3, intervalMs: 0)]
    #expect(harness.requestPermits(.post(1), .post(2), .post(3)) == Array(repeating: .reply(.committed), count: 3))
    #expect(harness.remoteCount == 3 && harness.depth == 3)
    var times: [Int64] = []
    for nowMs in stride(from: Int64(0), through: 5_000, by: 100) {
      for sent in harness.sent(nowMs: nowMs) {
        #expect(sent.job.isRemote && remote.contains(sent.session) && sent.session != local)
        times.append(nowMs)
      }
    }
    #expect(times == [0, 1_000, 2_000])
    #expect(harness.remoteCount == 0 && harness.depth == 3)
  }

  @Test("A new start of ingest waits an interval before its first remote permit")
  func restart() {
    var scheduler = JobScheduler(generation: 2, startMs: 10_000)
    guard
      let opened = scheduler.open(worker: "w", instance: [1], held: [], remoteIntervalMs: 0, nowMs: 10_000)
    else { preconditionFailure("The scheduler has a free session for a test.") }
    scheduler.grant(9, to: opened.session)
    scheduler.add([Job.post(1)])
    for lease in scheduler.sent(nowMs: 10_000)[opened.session] ?? [] {
      _ = scheduler.evaluate(JobResult(lease: lease, reply: .needsRemote([.sample(59, 10)])))
    }
    #expect(scheduler.nextDueMs == 11_000)
    #expect(scheduler.assign(nowMs: 10_999).isEmpty)
    #expect(scheduler.assign(nowMs: 11_000).first?.jobs.first?.job.isRemote == true)
  }

  @Test("A job with two lost leases gets no remote permit, and settles with the gazetteer's places")
  func suspect() {
    let harness = SchedulerHarness()
    _ = harness.join(1, intervalMs: 0)
    let decisions = harness.requestPermits(.post(2, leaseLosses: 2))
    #expect(
      decisions == [
        .settle(.post(2, leaseLosses: 2), .degraded([.sample(59, 10)], code: "remote_permit_denied"))
      ])
    #expect(
      harness.requestPermits(.post(1, leaseLosses: 1)) == [.reply(.committed)],
      "A job with one lost lease gets a permit.")
  }

  @Test("The due time is that of the next remote permit, if a worker with a provider has credit")
  func due() {
    let harness = SchedulerHarness()
    let session = harness.join(1, intervalMs: 0, credit: 3)
    _ = harness.requestPermits(.post(1), .post(2))
    #expect(harness.sent(nowMs: 10).map(\.job.id) == [Job.post(1).id])
    #expect(harness.nextDueMs == .max, "No worker has credit.")
    let other = harness.join(2, intervalMs: nil)
    #expect(harness.nextDueMs == .max, "No worker with a provider has credit.")
    _ = harness.join(3, intervalMs: 0)
    #expect(harness.nextDueMs == 1_010)
    withExtendedLifetime((session, other)) {}
  }

  @Test("The longest interval of any worker's provider applies to all workers")
  func strictest() {
    let harness = SchedulerHarness(perSecond: 10)
    _ = harness.join(1, intervalMs: 0)
    _ = harness.join(2, intervalMs: 1_000)
    _ = harness.requestPermits(.post(1), .post(2))
    #expect(harness.sent(nowMs: 0).count == 1)
    #expect(harness.sent(nowMs: 999).isEmpty)
    #expect(harness.sent(nowMs: 1_000).count == 1)
  }

  @Test("A remote permit ends with its lease, and must be requested again")
  func permitEnds() throws {
    let harness = SchedulerHarness()
    let session = harness.join(1, intervalMs: 0)
    _ = harness.requestPermits(.post(1))
    let first = try #require(harness.sent(nowMs: 0).first)
    #expect(first.job.isRemote)
    harness.release(first.lease, of: session)
    let second = try #require(harness.sent(nowMs: 5_000).first)
    #expect(!second.job.isRemote && second.job.id == first.job.id)
    #expect(harness.evaluate(second.lease, needsRemote: []) == .reply(.committed))
    #expect(harness.sent(nowMs: 5_000).first?.job.isRemote == true)
  }

  @Test("A permit request under a permit settles the job with degraded gazetteer places")
  func permitTwice() throws {
    let harness = SchedulerHarness()
    _ = harness.join(1, intervalMs: 0)
    _ = harness.requestPermits(.post(1))
    let sent = try #require(harness.sent(nowMs: 0).first)
    guard case .settle(_, .located(let places)) = harness.evaluate(sent.lease, needsRemote: [.sample(59, 10)]) else {
      Issue.record("the result does not settle the job")
      return
    }
    #expect(places[0].match == .fallback && places[0].detail?.isDegraded == true)
  }

  @Test("Only the current lease may request a remote permit")
  func stale() throws {
    let harness = SchedulerHarness()
    let session = harness.join(1, intervalMs: 0)
    harness.add(.post(1))
    let first = try #require(harness.sent(nowMs: 0).first)
    harness.release(first.lease, of: session)
    let second = try #require(harness.sent(nowMs: 0).first)
    #expect(harness.evaluate(first.lease, needsRemote: []) == .reply(.stale))
    #expect(harness.evaluate(second.lease, needsRemote: []) == .reply(.committed))
    #expect(harness.evaluate(second.lease, needsRemote: []) == .reply(.stale), "The request came twice.")
    #expect(harness.evaluate(second.lease, .found) == .settle(.post(1), .found), "A success always counts.")
    #expect(harness.sent(nowMs: 0).isEmpty)
  }

  @Test("A job that finds no provider settles with the gazetteer's places, or fails transiently")
  func withoutProvider() throws {
    let harness = SchedulerHarness()
    _ = harness.join(1, intervalMs: nil)
    harness.add(.post(1), .post(2))
    let sent = harness.sent(nowMs: 0)
    guard case .settle(let first, .located) = harness.evaluate(sent[0].lease, needsRemote: [.sample(59, 10)]),
      case .settle(let second, .failed(let failure)) = harness.evaluate(sent[1].lease, needsRemote: [])
    else {
      Issue.record("the result does not settle the job")
      return
    }
    #expect(first == .post(1) && second == .post(2))
    #expect(failure.kind == .transient)
  }

  @Test("Waiting jobs settle with the gazetteer's places when the last worker with a provider disconnects")
  func lastProvider() throws {
    let harness = SchedulerHarness()
    let session = harness.join(1, intervalMs: 0)
    _ = harness.join(2, intervalMs: nil)
    _ = harness.requestPermits(.post(1), .post(2))
    #expect(harness.endRemoteWaits().isEmpty)
    _ = harness.close(session)
    let ended = harness.endRemoteWaits()
    #expect(ended.map(\.job.id) == [Job.post(1).id, Job.post(2).id] && harness.remoteCount == 0)
    for wait in ended {
      guard case .located = wait.outcome else {
        Issue.record("\(wait)")
        return
      }
    }
    #expect(harness.endRemoteWaits().isEmpty)
    harness.settled(.post(1))
    harness.settled(.post(2))
    #expect(harness.depth == 0)
  }

  @Test("A hundred jobs at most wait for a remote permit")
  func full() {
    let harness = SchedulerHarness()
    _ = harness.join(1, intervalMs: 0, credit: 500)
    for number in 0..<UInt64(Limits.remoteWaitingMax) {
      #expect(harness.requestPermits(.post(number)) == [.reply(.committed)])
      // The first job gets its permit at the next assignment. The others wait.
      if number == 0 { #expect(harness.remoteCount == 1) }
    }
    #expect(harness.remoteCount >= Limits.remoteWaitingMax - 1)
    _ = harness.requestPermits(.post(1_000))
    guard case .settle? = harness.requestPermits(.post(1_001)).first else {
      Issue.record("the job waits")
      return
    }
    #expect(harness.remoteCount == Limits.remoteWaitingMax)
  }

  @Test("A lookup whose permit would come too late settles immediately, and a post waits")
  func lookupWait() {
    let harness = SchedulerHarness()
    let session = harness.join(1, intervalMs: 0)
    #expect(harness.requestPermits(.post(1), .post(2)).count == 2)
    #expect(harness.sent(nowMs: 0).count == 1)
    harness.recordActivity(session, nowMs: 100)
    // The next permit comes in 900 ms, and one post goes first.
    #expect(harness.requestPermits(.lookup(1), nowMs: 100) == [.reply(.committed)])
    guard case .settle? = harness.requestPermits(.lookup(2), nowMs: 100).first else {
      Issue.record("the job waits")
      return
    }
    #expect(harness.requestPermits(.post(3), nowMs: 100) == [.reply(.committed)])
    harness.cancel(.lookup(1))
    #expect(harness.remoteCount == 2)
    #expect(harness.requestPermits(.lookup(3), nowMs: 100) == [.reply(.committed)])
  }
}
