import Testing

@testable import Domain

/// JobScheduler at one rate, with what these tests ask of it.
private final class SchedulerHarness {
  private var scheduler: JobScheduler

  init(perSecond: Double = 1) { scheduler = JobScheduler(generation: 1, remotePerSecond: perSecond) }

  func join(_ instance: UInt8, intervalMs: Int64?, credit: UInt64 = 200) -> UInt64 {
    guard
      let opened = scheduler.open(
        worker: "w", instance: Array(repeating: instance, count: 16), held: [], remoteIntervalMs: intervalMs, nowMs: 0)
    else { preconditionFailure("There is room for a test's session.") }
    scheduler.grant(credit, to: opened.session)
    return opened.session
  }

  func add(_ jobs: Job...) { scheduler.add(jobs) }
  func cancel(_ job: Job) { scheduler.cancel(job.id) }
  func close(_ session: UInt64) -> JobScheduler.LostLeases { scheduler.close(session, countsAsLoss: true) }
  func release(_ lease: Lease, of session: UInt64) { scheduler.release([lease], of: session) }
  func hear(_ session: UInt64, nowMs: Int64) { _ = scheduler.recordActivity(session, nowMs: nowMs) }
  func endRemoteWaits() -> [(lease: Lease, job: Job, outcome: JobOutcome)] { scheduler.endRemoteWaits() }
  func settled(_ job: Job) { scheduler.settled(job.id) }
  func evaluate(_ lease: Lease, _ outcome: JobOutcome) -> JobScheduler.ResultDecision {
    scheduler.evaluate(JobResult(lease: lease, outcome: outcome))
  }
  func evaluate(_ lease: Lease, needsRemote found: [Place]) -> JobScheduler.ResultDecision {
    scheduler.evaluate(JobResult(lease: lease, reply: .needsRemote(found)))
  }

  /// What goes out now: whom to, and with leave or not.
  func sent(nowMs: Int64) -> [(session: UInt64, job: Job, lease: Lease)] {
    scheduler.assign(nowMs: nowMs).flatMap { sent in sent.jobs.map { (sent.session, $0.job, $0.lease) } }
  }

  /// Sends jobs out, and has the worker ask for leave for each.
  func need(_ jobs: Job..., nowMs: Int64 = 0) -> [JobScheduler.ResultDecision] {
    scheduler.add(jobs)
    return sent(nowMs: nowMs).filter { !$0.job.isRemote }.map { evaluate($0.lease, needsRemote: [.sample(59, 10)]) }
  }

  var nextDueMs: Int64 { scheduler.nextDueMs }
  var remoteCount: Int { scheduler.remoteCount }
  var depth: Int { scheduler.depth }
}

@Suite("JobScheduler: leave for remote providers")
struct JobSchedulerRemoteTests {
  @Test("Leave is given once an interval, however many workers there are, and only to those with a provider")
  func rate() {
    let desk = SchedulerHarness()
    let without = desk.join(1, intervalMs: nil)
    let with = [desk.join(2, intervalMs: 0), desk.join(3, intervalMs: 0)]
    #expect(desk.need(.post(1), .post(2), .post(3)) == Array(repeating: .reply(.committed), count: 3))
    #expect(desk.remoteCount == 3 && desk.depth == 3)
    var times: [Int64] = []
    for nowMs in stride(from: Int64(0), through: 5_000, by: 100) {
      for sent in desk.sent(nowMs: nowMs) {
        #expect(sent.job.isRemote && with.contains(sent.session) && sent.session != without)
        times.append(nowMs)
      }
    }
    #expect(times == [0, 1_000, 2_000])
    #expect(desk.remoteCount == 0 && desk.depth == 3)
  }

  @Test("A start of ingest gives no leave that the one before may have given a moment ago")
  func restart() {
    var scheduler = JobScheduler(generation: 2, startMs: 10_000)
    guard
      let opened = scheduler.open(worker: "w", instance: [1], held: [], remoteIntervalMs: 0, nowMs: 10_000)
    else { preconditionFailure("There is room for a test's session.") }
    scheduler.grant(9, to: opened.session)
    scheduler.add([Job.post(1)])
    for lease in scheduler.sent(nowMs: 10_000)[opened.session] ?? [] {
      _ = scheduler.evaluate(JobResult(lease: lease, reply: .needsRemote([.sample(59, 10)])))
    }
    #expect(scheduler.nextDueMs == 11_000)
    #expect(scheduler.assign(nowMs: 10_999).isEmpty)
    #expect(scheduler.assign(nowMs: 11_000).first?.jobs.first?.job.isRemote == true)
  }

  @Test("A job over which two workers were lost gets no leave: the gazetteer's answer is its own")
  func suspect() {
    let desk = SchedulerHarness()
    _ = desk.join(1, intervalMs: 0)
    let worth = desk.need(.post(2, leaseLosses: 2))
    #expect(
      worth == [
        .settle(.post(2, leaseLosses: 2), .degraded([.sample(59, 10)], code: "remote_denied"))
      ])
    #expect(desk.need(.post(1, leaseLosses: 1)) == [.reply(.committed)], "After one loss it does.")
  }

  @Test("It is to be woken when leave can be given, and not before")
  func due() {
    let desk = SchedulerHarness()
    let session = desk.join(1, intervalMs: 0, credit: 3)
    _ = desk.need(.post(1), .post(2))
    #expect(desk.sent(nowMs: 10).map(\.job.id) == [Job.post(1).id])
    #expect(desk.nextDueMs == .max, "Nobody has credit.")
    let more = desk.join(2, intervalMs: nil)
    #expect(desk.nextDueMs == .max, "Nobody with a provider has.")
    _ = desk.join(3, intervalMs: 0)
    #expect(desk.nextDueMs == 1_010)
    withExtendedLifetime((session, more)) {}
  }

  @Test("A provider that wants a longer pause than is set gets it, whichever worker asks")
  func strictest() {
    let desk = SchedulerHarness(perSecond: 10)
    _ = desk.join(1, intervalMs: 0)
    _ = desk.join(2, intervalMs: 1_000)
    _ = desk.need(.post(1), .post(2))
    #expect(desk.sent(nowMs: 0).count == 1)
    #expect(desk.sent(nowMs: 999).isEmpty)
    #expect(desk.sent(nowMs: 1_000).count == 1)
  }

  @Test("Leave is the lease's: who loses the job, or gives it back, has none, and it must be asked for again")
  func leave() throws {
    let desk = SchedulerHarness()
    let session = desk.join(1, intervalMs: 0)
    _ = desk.need(.post(1))
    let first = try #require(desk.sent(nowMs: 0).first)
    #expect(first.job.isRemote)
    desk.release(first.lease, of: session)
    let second = try #require(desk.sent(nowMs: 5_000).first)
    #expect(!second.job.isRemote && second.job.id == first.job.id)
    #expect(desk.evaluate(second.lease, needsRemote: []) == .reply(.committed))
    #expect(desk.sent(nowMs: 5_000).first?.job.isRemote == true)
  }

  @Test("Who asks for leave with leave gets the gazetteer's answer, marked")
  func circle() throws {
    let desk = SchedulerHarness()
    _ = desk.join(1, intervalMs: 0)
    _ = desk.need(.post(1))
    let sent = try #require(desk.sent(nowMs: 0).first)
    guard case .settle(_, .located(let places)) = desk.evaluate(sent.lease, needsRemote: [.sample(59, 10)]) else {
      Issue.record("not taken")
      return
    }
    #expect(places[0].match == .fallback && places[0].detail?.isDegraded == true)
  }

  @Test("Only the holder of the present lease can ask for leave")
  func stale() throws {
    let desk = SchedulerHarness()
    let session = desk.join(1, intervalMs: 0)
    desk.add(.post(1))
    let first = try #require(desk.sent(nowMs: 0).first)
    desk.release(first.lease, of: session)
    let second = try #require(desk.sent(nowMs: 0).first)
    #expect(desk.evaluate(first.lease, needsRemote: []) == .reply(.stale))
    #expect(desk.evaluate(second.lease, needsRemote: []) == .reply(.committed))
    #expect(desk.evaluate(second.lease, needsRemote: []) == .reply(.stale), "It came twice.")
    #expect(desk.evaluate(second.lease, .found) == .settle(.post(1), .found), "A success always counts.")
    #expect(desk.sent(nowMs: 0).isEmpty)
  }

  @Test("Without a worker that has a provider a job takes the gazetteer's answer; without that it fails for a while")
  func withoutProvider() throws {
    let desk = SchedulerHarness()
    _ = desk.join(1, intervalMs: nil)
    desk.add(.post(1), .post(2))
    let sent = desk.sent(nowMs: 0)
    guard case .settle(let first, .located) = desk.evaluate(sent[0].lease, needsRemote: [.sample(59, 10)]),
      case .settle(let second, .failed(let failure)) = desk.evaluate(sent[1].lease, needsRemote: [])
    else {
      Issue.record("not taken")
      return
    }
    #expect(first == .post(1) && second == .post(2))
    #expect(failure.kind == .transient)
  }

  @Test("When the last worker with a provider goes, those that wait are given up with what the gazetteer said")
  func gone() throws {
    let desk = SchedulerHarness()
    let session = desk.join(1, intervalMs: 0)
    _ = desk.join(2, intervalMs: nil)
    _ = desk.need(.post(1), .post(2))
    #expect(desk.endRemoteWaits().isEmpty)
    _ = desk.close(session)
    let given = desk.endRemoteWaits()
    #expect(given.map(\.job.id) == [Job.post(1).id, Job.post(2).id] && desk.remoteCount == 0)
    for one in given {
      guard case .located = one.outcome else {
        Issue.record("\(one)")
        return
      }
    }
    #expect(desk.endRemoteWaits().isEmpty)
    desk.settled(.post(1))
    desk.settled(.post(2))
    #expect(desk.depth == 0)
  }

  @Test("A hundred jobs may wait, and no more")
  func full() {
    let desk = SchedulerHarness()
    _ = desk.join(1, intervalMs: 0, credit: 500)
    for number in 0..<UInt64(Limits.remoteWaitingMax) {
      #expect(desk.need(.post(number)) == [.reply(.committed)])
      // The first goes out at once; the next ones wait.
      if number == 0 { #expect(desk.remoteCount == 1) }
    }
    #expect(desk.remoteCount >= Limits.remoteWaitingMax - 1)
    _ = desk.need(.post(1_000))
    guard case .settle? = desk.need(.post(1_001)).first else {
      Issue.record("it waits")
      return
    }
    #expect(desk.remoteCount == Limits.remoteWaitingMax)
  }

  @Test("A lookup waits only as long as its client does; a post behind it longer")
  func patience() {
    let desk = SchedulerHarness()
    let session = desk.join(1, intervalMs: 0)
    #expect(desk.need(.post(1), .post(2)).count == 2)
    #expect(desk.sent(nowMs: 0).count == 1)
    desk.hear(session, nowMs: 100)
    // 900 ms until the next leave, and then one post may go first.
    #expect(desk.need(.lookup(1), nowMs: 100) == [.reply(.committed)])
    guard case .settle? = desk.need(.lookup(2), nowMs: 100).first else {
      Issue.record("it waits")
      return
    }
    #expect(desk.need(.post(3), nowMs: 100) == [.reply(.committed)])
    desk.cancel(.lookup(1))
    #expect(desk.remoteCount == 2)
    #expect(desk.need(.lookup(3), nowMs: 100) == [.reply(.committed)])
  }
}
