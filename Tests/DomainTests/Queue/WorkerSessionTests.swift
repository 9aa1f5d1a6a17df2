import Fuzzing
import Testing

@testable import Domain

@Suite("Worker session")
struct WorkerSessionTests {
  private typealias Message = WorkerSession.Message
  private var worker = WorkerSession(concurrency: 4, nowMs: 0)

  private func leases(_ numbers: ClosedRange<UInt64>) -> [Lease] {
    numbers.map { Lease(job: JobID(rawValue: $0), token: $0) }
  }

  private mutating func welcome(session: UInt64 = 1, nowMs: Int64 = 0) -> [Message] {
    worker.welcome(session: session, heartbeatMs: 2_000, livenessMs: 6_000, nowMs: nowMs)
  }

  private func results(_ messages: [Message]) -> [Lease] {
    messages.flatMap { message -> [Lease] in
      guard case .results(let results) = message else { return [] }
      return results.map(\.lease)
    }
  }

  @Test("The worker sends HELLO once a second until WELCOME")
  mutating func hello() {
    #expect(worker.nextMs == 0)
    #expect(worker.tick(nowMs: 10) == [.hello(held: [])])
    #expect(worker.nextMs == 1_010)
    #expect(worker.tick(nowMs: 1_009).isEmpty)
    #expect(worker.tick(nowMs: 1_010) == [.hello(held: [])])
    #expect(welcome(nowMs: 1_020) == [.credit(jobLimit: 8)])
    #expect(worker.session == 1)
    #expect(worker.tick(nowMs: 1_030).isEmpty)
  }

  @Test("The worker repeats a HELLO that could not be sent in the next tick")
  mutating func helloFailed() {
    #expect(worker.tick(nowMs: 10) == [.hello(held: [])])
    worker.helloFailed()
    #expect(worker.nextMs == 0)
    #expect(worker.tick(nowMs: 11) == [.hello(held: [])])
  }

  @Test(
    "The initial credit is twice the concurrency, but at most 64",
    arguments: [(1, 2), (4, 8), (32, 64), (33, 64), (1_000, 64)] as [(Int, UInt64)])
  func window(concurrency: Int, jobLimit: UInt64) {
    var worker = WorkerSession(concurrency: concurrency, nowMs: 0)
    #expect(
      worker.welcome(session: 1, heartbeatMs: 2_000, livenessMs: 6_000, nowMs: 0) == [.credit(jobLimit: jobLimit)])
  }

  @Test("A repeated WELCOME keeps the credit and counts as activity")
  mutating func secondWelcome() {
    #expect(welcome() == [.credit(jobLimit: 8)])
    _ = worker.receive(leases(1...8), nowMs: 1)
    #expect(welcome(nowMs: 2).isEmpty)
    let messages = worker.report(leases(1...4).map { JobResult(lease: $0, outcome: .notFound) }, nowMs: 3)
    #expect(messages.last == .credit(jobLimit: 12))
    #expect(!worker.isDead(nowMs: 6_002), "The second WELCOME proves that ingest is alive.")
  }

  @Test("The worker renews credit after half a window of results, never beyond the window")
  mutating func credit() {
    #expect(welcome() == [.credit(jobLimit: 8)])
    let jobs = worker.receive(leases(1...8), nowMs: 1)
    #expect(jobs.count == 8)
    #expect(worker.tick(nowMs: 2).isEmpty, "The window is full.")
    #expect(
      worker.report(jobs[..<3].map { .found($0) }, nowMs: 3).count == 1, "Three slots are too few for new credit.")
    #expect(worker.report([.found(jobs[3])], nowMs: 4) == [.results([.found(jobs[3])]), .credit(jobLimit: 12)])
    #expect(worker.report(jobs[4...].map { .found($0) }, nowMs: 5).last == .credit(jobLimit: 16))
  }

  @Test("The worker runs a job once per lease and ignores repeated and earlier leases")
  mutating func duplicates() {
    _ = welcome()
    let first = Lease(job: JobID(rawValue: 1), token: 10)
    let later = Lease(job: JobID(rawValue: 1), token: 11)
    #expect(worker.receive([first], nowMs: 1) == [first])
    #expect(worker.receive([first, first], nowMs: 2).isEmpty, "The job is running.")
    _ = worker.report([.found(first)], nowMs: 3)
    #expect(worker.receive([first], nowMs: 4).isEmpty, "The result is not acknowledged yet.")
    #expect(worker.receive([later], nowMs: 5) == [later])
    #expect(worker.receive([first], nowMs: 6).isEmpty, "An earlier lease arrives late.")
    _ = worker.report([.found(later)], nowMs: 7)
    let earlier = Lease(job: JobID(rawValue: 1), token: 9)
    #expect(worker.receive([earlier], nowMs: 8).isEmpty, "Results of greater tokens are not acknowledged yet.")
    worker.acknowledge(later, .committed, nowMs: 9)
    #expect(worker.receive([first], nowMs: 10).isEmpty, "This result is not acknowledged yet.")
    worker.acknowledge(first, .committed, nowMs: 11)
    #expect(worker.receive([earlier], nowMs: 12) == [earlier], "The worker has forgotten the job.")
  }

  @Test("The worker resends a result after 1, 2, 4 … 30 s until its acknowledgement")
  mutating func resend() {
    _ = welcome()
    let job = worker.receive(leases(1...1), nowMs: 0)
    #expect(results(worker.report([.found(job[0])], nowMs: 0)) == job)
    var sent: [Int64] = []
    for second: Int64 in 1...130 {
      worker.recordActivity(nowMs: second * 1_000)
      if !results(worker.tick(nowMs: second * 1_000)).isEmpty { sent.append(second) }
    }
    #expect(sent == [1, 3, 7, 15, 31, 61, 91, 121])
    #expect(worker.unacknowledged == 1)
    worker.acknowledge(job[0], .retryLater, nowMs: 130_000)
    #expect(worker.unacknowledged == 1, "Retry later does not end a result.")
    worker.acknowledge(job[0], .committed, nowMs: 130_000)
    #expect(worker.unacknowledged == 0)
    #expect(results((131...200).flatMap { worker.tick(nowMs: $0 * 1_000) }).isEmpty)
  }

  @Test("Every final disposition ends a result", arguments: [Disposition.committed, .duplicate, .stale])
  mutating func dispositions(disposition: Disposition) {
    _ = welcome()
    let jobs = worker.receive(leases(1...1), nowMs: 0)
    _ = worker.report([.failed(jobs[0])], nowMs: 0)
    worker.acknowledge(Lease(job: jobs[0].job, token: 99), disposition, nowMs: 0)
    #expect(worker.unacknowledged == 1, "An acknowledgement under another lease does not end this result.")
    worker.acknowledge(jobs[0], disposition, nowMs: 0)
    #expect(worker.unacknowledged == 0)
  }

  @Test("A full outbox stops credit until ingest acknowledges results")
  mutating func fullOutbox() {
    _ = welcome()
    var (number, limit): (UInt64, UInt64) = (0, 8)
    while number < limit {
      let jobs = worker.receive(leases(number + 1...limit), nowMs: 0)
      number = limit
      for case .credit(let more) in worker.report(jobs.map { .found($0) }, nowMs: 0) { limit = more }
    }
    #expect(worker.unacknowledged == Int(number))
    #expect((Limits.outboxMax - 8...Limits.outboxMax).contains(worker.unacknowledged))
    #expect(worker.tick(nowMs: 1).isEmpty)
    for lease in leases(1...100) { worker.acknowledge(lease, .committed, nowMs: 2) }
    #expect(worker.tick(nowMs: 2) == [.credit(jobLimit: number + 8)])
  }

  @Test("HELLO after RESET names unfinished and unacknowledged jobs, and WELCOME resends results")
  mutating func reset() {
    _ = welcome()
    let jobs = worker.receive(leases(1...3), nowMs: 0)
    _ = worker.report([.found(jobs[0]), .found(jobs[1])], nowMs: 1)
    worker.acknowledge(jobs[1], .committed, nowMs: 2)
    worker.reset()
    #expect(worker.session == nil)
    guard case .hello(let held)? = worker.tick(nowMs: 3).first else {
      Issue.record("A worker without a session sends HELLO immediately.")
      return
    }
    #expect(Set(held) == [jobs[0], jobs[2]])
    #expect(worker.report([.found(jobs[2])], nowMs: 4).isEmpty, "The worker keeps a result while it has no session.")
    let messages = welcome(session: 2, nowMs: 5)
    #expect(Set(results(messages)) == [jobs[0], jobs[2]])
    #expect(messages.last == .credit(jobLimit: 8), "Credit starts again with a new session.")
  }

  @Test("The worker sends heartbeats at ingest's interval, with its credit and leases")
  mutating func heartbeats() {
    _ = worker.welcome(session: 1, heartbeatMs: 500, livenessMs: 1_500, nowMs: 0)
    let jobs = worker.receive(leases(1...1), nowMs: 0)
    #expect(worker.tick(nowMs: 499).isEmpty)
    #expect(worker.tick(nowMs: 500) == [.heartbeat(jobLimit: 8, held: jobs, progress: 0)])
    #expect(worker.tick(nowMs: 999).isEmpty)
    _ = worker.report([.found(jobs[0])], nowMs: 600)
    #expect(worker.tick(nowMs: 1_000).isEmpty, "A result counts as a sign of life.")
    #expect(worker.tick(nowMs: 1_100) == [.heartbeat(jobLimit: 8, held: jobs, progress: 1)])
  }

  @Test("A WELCOME with intervals of 0 gets minimum intervals")
  mutating func zeroIntervals() {
    _ = worker.welcome(session: 1, heartbeatMs: 0, livenessMs: 0, nowMs: 0)
    #expect(worker.tick(nowMs: 99).isEmpty)
    #expect(worker.tick(nowMs: 100).count == 1)
    #expect(!worker.isDead(nowMs: 300))
    #expect(worker.isDead(nowMs: 301))
  }

  @Test("Ingest is dead after its liveness timeout, but only while a session is open")
  mutating func death() {
    #expect(!worker.isDead(nowMs: 1_000_000))
    _ = welcome()
    #expect(!worker.isDead(nowMs: 6_000))
    #expect(worker.isDead(nowMs: 6_001))
    worker.recordActivity(nowMs: 6_001)
    #expect(!worker.isDead(nowMs: 12_001))
    #expect(worker.receive([], nowMs: 12_001).isEmpty)
    #expect(!worker.isDead(nowMs: 18_001))
    worker.acknowledge(Lease(job: JobID(rawValue: 1), token: 1), .committed, nowMs: 18_001)
    #expect(!worker.isDead(nowMs: 24_001))
    #expect(worker.isDead(nowMs: 24_002))
  }

  @Test("The worker's shutdown returns its unfinished jobs once")
  mutating func drain() {
    #expect(worker.drain().isEmpty)
    _ = welcome()
    var idle = worker
    #expect(idle.drain() == [.goodbye([])], "An idle worker sends goodbye, too.")
    let jobs = worker.receive(leases(1...3), nowMs: 0)
    _ = worker.report([.found(jobs[0])], nowMs: 0)
    guard case .goodbye(let returned)? = worker.drain().first else {
      Issue.record("The goodbye does not return two jobs.")
      return
    }
    #expect(Set(returned) == [jobs[1], jobs[2]])
    #expect(worker.drain().isEmpty)
    #expect(worker.unacknowledged == 1)
    #expect(worker.session != nil, "The session ends with ingest's reply to the goodbye.")
    #expect(worker.receive(leases(4...5), nowMs: 0).isEmpty, "Jobs that were in flight do not start.")
  }

  @Test("A tick before `nextMs` sends nothing", arguments: 0..<50)
  func nextMs(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var worker = WorkerSession(concurrency: 3, nowMs: 0)
    var (nowMs, number, session): (Int64, UInt64, UInt64) = (0, 0, 0)
    for _ in 0..<200 {
      _ = worker.tick(nowMs: nowMs)
      let nextMs = worker.nextMs
      #expect(nextMs > nowMs)
      for _ in 0..<3 where nextMs > nowMs + 1 {
        let betweenMs = Int64.random(in: nowMs + 1..<nextMs, using: &random)
        var copy = worker
        #expect(copy.tick(nowMs: betweenMs).isEmpty, "seed \(seed): \(betweenMs) of \(nowMs) … \(nextMs)")
      }
      nowMs = random.happens(50) ? nextMs : Int64.random(in: nowMs...nextMs, using: &random)
      switch Int.random(in: 0..<6, using: &random) {
      case 0:
        session += 1
        _ = worker.welcome(session: session, heartbeatMs: 2_000, livenessMs: 6_000, nowMs: nowMs)
      case 1:
        number += 1
        _ = worker.receive([Lease(job: JobID(rawValue: number), token: number)], nowMs: nowMs)
      case 2: _ = worker.report([.found(Lease(job: JobID(rawValue: number), token: number))], nowMs: nowMs)
      case 3: worker.acknowledge(Lease(job: JobID(rawValue: number), token: number), .committed, nowMs: nowMs)
      case 4: if random.happens(20) { worker.reset() }
      default: worker.recordActivity(nowMs: nowMs)
      }
    }
  }
}
