import Testing

@testable import Domain

extension JobScheduler {
  /// Opens a session with credit. Returns the id of the session.
  mutating func join(_ name: String = "w", instance: UInt8 = 1, credit: UInt64 = 0, nowMs: Int64 = 0) -> UInt64 {
    guard let opened = open(worker: name, instance: Array(repeating: instance, count: 16), held: [], nowMs: nowMs)
    else { preconditionFailure("The scheduler has a free session for a test.") }
    grant(credit, to: opened.session)
    return opened.session
  }

  /// Calls `expire` at each heartbeat interval and at `nowMs`, and expects that nothing expires.
  mutating func expectNoExpiry(from: Int64, through nowMs: Int64) {
    for tickMs in Array(stride(from: from, to: nowMs, by: Int(Limits.heartbeatMs))) + [nowMs] {
      let (silent, losses) = expire(nowMs: tickMs)
      #expect(silent.isEmpty && losses.isEmpty, "at \(tickMs) ms")
    }
  }

  /// Assigns jobs. Returns their leases by session.
  mutating func sent(nowMs: Int64 = 0) -> [UInt64: [Lease]] {
    Dictionary(uniqueKeysWithValues: assign(nowMs: nowMs).map { ($0.session, $0.jobs.map(\.lease)) })
  }
}

@Suite("JobScheduler: jobs")
struct JobSchedulerTests {
  private var scheduler = JobScheduler(generation: 1)

  @Test("A worker gets as many jobs as its credit allows, however often it grants the same credit")
  mutating func credit() {
    scheduler.add((1...10).map { Job.post($0) })
    let session = scheduler.join()
    #expect(scheduler.sent().isEmpty)
    scheduler.grant(3, to: session)
    #expect(scheduler.sent()[session]?.count == 3)
    scheduler.grant(3, to: session)
    scheduler.grant(2, to: session)
    #expect(scheduler.sent().isEmpty, "Credit is cumulative: the same number or a lower one adds nothing.")
    scheduler.grant(5, to: session)
    #expect(scheduler.sent()[session]?.count == 2)
    #expect(scheduler.readyCount == 5)
    #expect(scheduler.depth == 10)
  }

  @Test("A worker without results holds at most 64 jobs, whatever credit it grants")
  mutating func window() {
    scheduler.add((1...200).map { Job.post($0) })
    let session = scheduler.join(credit: .max)
    let leases = scheduler.sent()[session] ?? []
    #expect(leases.count == 64)
    #expect(scheduler.sent().isEmpty)
    #expect(scheduler.evaluate(.found(leases[0])) == .settle(.post(1), .found))
    #expect(scheduler.sent()[session]?.count == 1, "A settled job frees one slot.")
  }

  @Test("A credit grant for an unknown session is ignored")
  mutating func unknownGrant() {
    scheduler.add([Job.post(1)])
    scheduler.grant(5, to: 99)
    #expect(scheduler.sent().isEmpty)
    #expect(scheduler.sessions.isEmpty)
  }

  @Test(
    "A few jobs go to one worker together, and many are shared evenly",
    arguments: [
      (1, [1]), (16, [16]), (17, [9, 8]), (40, [14, 13, 13]), (64, [16, 16, 16, 16]), (100, [25, 25, 25, 25]),
    ])
  mutating func share(jobs: Int, shares: [Int]) {
    for instance: UInt8 in 1...4 { _ = scheduler.join(instance: instance, credit: 64) }
    scheduler.add((0..<jobs).map { Job.post(UInt64($0)) })
    #expect(scheduler.sent().values.map(\.count).sorted(by: >) == shares)
  }

  @Test("Workers with a credit of 2 get one job each while others are free, and use all credit")
  mutating func slowWorkers() {
    for instance: UInt8 in 1...4 { _ = scheduler.join(instance: instance, credit: 2) }
    scheduler.add((1...4).map { Job.post($0) })
    #expect(scheduler.sent().values.map(\.count) == [1, 1, 1, 1])
    scheduler.add((5...20).map { Job.post($0) })
    #expect(scheduler.sent().values.reduce(0) { $0 + $1.count } == 4, "The workers use all of their credit.")
  }

  @Test("Jobs beyond one worker's credit go to the others")
  mutating func unevenShare() {
    let small = scheduler.join(instance: 1, credit: 1)
    let large = scheduler.join(instance: 2, credit: 64)
    scheduler.add((1...20).map { Job.post($0) })
    // The small worker takes one job. The large one takes its share, and the rest in the next assignments.
    var counts: [UInt64: Int] = [:]
    for _ in 0..<3 { counts.merge(scheduler.sent().mapValues(\.count), uniquingKeysWith: +) }
    #expect(counts == [small: 1, large: 19])
  }

  @Test("Single jobs rotate over the workers", arguments: [2, 3, 4])
  mutating func turns(workers: Int) {
    let sessions = (1...workers).map { scheduler.join(instance: UInt8($0), credit: 64) }
    var counts: [UInt64: Int] = [:]
    for number: UInt64 in 1...60 {
      scheduler.add([Job.post(number)])
      // The job server does the same: it assigns until no job goes out.
      while true {
        let sent = scheduler.sent()
        if sent.isEmpty { break }
        for session in sent.keys { counts[session, default: 0] += 1 }
      }
    }
    #expect(sessions.map { counts[$0] } == Array(repeating: 60 / workers, count: workers))
  }

  @Test("Adding a known job changes nothing")
  mutating func addedTwice() {
    let session = scheduler.join(credit: 64)
    scheduler.add([Job.post(1)])
    let leases = scheduler.sent()[session] ?? []
    scheduler.add([Job.post(1)])
    #expect(scheduler.sent().isEmpty)
    #expect(scheduler.depth == 1)
    #expect(leases.count == 1)
  }

  @Test("Lease tokens only rise, also over restarts")
  mutating func tokens() {
    var last: UInt64 = 0
    for generation: UInt32 in 1...3 {
      var scheduler = JobScheduler(generation: generation)
      let session = scheduler.join(credit: .max)
      for number: UInt64 in 1...50 {
        scheduler.add([Job.post(number)])
        let lease = scheduler.sent()[session]?.first
        #expect((lease?.token ?? 0) > last)
        #expect((lease?.token ?? 0) >> 40 == UInt64(generation))
        last = lease?.token ?? .max
        scheduler.settled(JobID(rawValue: number))
        #expect(scheduler.depth == 0)
      }
    }
  }

  @Test("A second success waits for the first, and is a duplicate once the first is durable")
  mutating func successTwice() {
    let session = scheduler.join(credit: 1)
    scheduler.add([Job.post(1)])
    let lease = scheduler.sent()[session]?.first ?? Lease(job: JobID(rawValue: 0), token: 0)
    #expect(scheduler.evaluate(.found(lease)) == .settle(.post(1), .found))
    #expect(scheduler.evaluate(.found(lease)) == .pending)
    #expect(scheduler.evaluate(.failed(lease)) == .pending)
    scheduler.settled(lease.job)
    #expect(scheduler.evaluate(.found(lease)) == .reply(.duplicate))
    #expect(scheduler.evaluate(.failed(lease)) == .reply(.duplicate))
    #expect(scheduler.depth == 0)
  }

  @Test("A result for an unknown job is a duplicate")
  mutating func unknownJob() {
    #expect(scheduler.evaluate(.found(Lease(job: JobID(rawValue: 77), token: 5))) == .reply(.duplicate))
  }

  @Test("A late success settles a job in every state before its settlement")
  mutating func lateSuccess() {
    let session = scheduler.join(credit: 64)
    let old = released(1, by: session)
    #expect(scheduler.evaluate(.found(old)) == .settle(.post(1), .found), "ready")
    #expect(scheduler.sent().isEmpty, "A committing job is not leased.")
    scheduler.delay(old.job, attempts: nil, untilMs: 1)

    #expect(scheduler.sent(nowMs: 1)[session]?.count == 1)
    #expect(scheduler.evaluate(.found(old)) == .settle(.post(1), .found), "leased again")
    #expect(scheduler.sessions[session]?.leases.isEmpty == true)

    scheduler.delay(old.job, attempts: 1, untilMs: 5_000)
    #expect(scheduler.evaluate(.found(old)) == .settle(.post(1, attempts: 1), .found), "delayed")
    #expect(scheduler.sent(nowMs: 6_000).isEmpty, "The delay is over, but the job is committing.")
    scheduler.settled(old.job)
    #expect(scheduler.depth == 0)
  }

  /// Leases a job and releases it. Returns the previous lease.
  private mutating func released(_ job: UInt64, by session: UInt64) -> Lease {
    scheduler.add([Job.post(job)])
    let lease = scheduler.sent()[session]?.first ?? Lease(job: JobID(rawValue: job), token: 0)
    scheduler.release([lease], of: session)
    return lease
  }

  @Test("A success under a token that the job never had is stale and keeps the lease")
  mutating func unknownToken() {
    let session = scheduler.join(credit: 64)
    scheduler.add([Job.post(1), Job.post(2)])
    let former = scheduler.sent()[session] ?? []
    scheduler.release(former, of: session)
    let leases = scheduler.sent()[session] ?? []
    guard let own = leases.first(where: { $0.job.rawValue == 1 }) else {
      Issue.record("the job is not leased")
      return
    }
    let others = (former + leases).filter { $0.job != own.job }.map(\.token)
    #expect(others.count == 2)
    for token in others + [0, 1, own.token + 1, own.token + 1_000_000, session, .max, 1 << 40 - 1, 1 << 40] {
      #expect(scheduler.evaluate(.found(Lease(job: own.job, token: token))) == .reply(.stale), "\(token)")
    }
    #expect(scheduler.evaluate(.found(own)) == .settle(.post(1), .found))
    #expect(scheduler.evaluate(.found(Lease(job: own.job, token: 5))) == .reply(.stale), "while the job is committing")
  }

  @Test("A success with a token of an earlier start counts only for a job that was restored at the start")
  mutating func earlierStart() {
    var scheduler = JobScheduler(generation: 3)
    scheduler.resume(.post(1), untilMs: nil)
    scheduler.resume(.post(2), untilMs: 5_000)
    scheduler.add(.post(3))
    let first: UInt64 = 1 << 40
    for token in [0, first - 1, 3 * first, 3 * first + 1, 4 * first] {
      #expect(scheduler.evaluate(.found(Lease(job: JobID(rawValue: 1), token: token))) == .reply(.stale), "\(token)")
    }
    let early = Lease(job: JobID(rawValue: 1), token: first)
    let late = Lease(job: JobID(rawValue: 2), token: 3 * first - 1)
    #expect(scheduler.evaluate(.failed(early)) == .reply(.stale))
    #expect(scheduler.evaluate(.found(early)) == .settle(.post(1), .found))
    #expect(scheduler.evaluate(.found(late)) == .settle(.post(2), .found))
    #expect(scheduler.evaluate(.found(Lease(job: JobID(rawValue: 3), token: first))) == .reply(.stale))
  }

  @Test("A job accepts successes under its sixteen earlier leases and no older one")
  mutating func rememberedLeases() {
    let session = scheduler.join(credit: .max)
    scheduler.add([Job.post(1)])
    var leases: [Lease] = []
    for _ in 0...Limits.formerLeasesMax + 1 {
      let lease = scheduler.sent()[session]?.first ?? Lease(job: JobID(rawValue: 1), token: 0)
      leases.append(lease)
      scheduler.release([lease], of: session)
    }
    #expect(Set(leases.map(\.token)).count == Limits.formerLeasesMax + 2)
    #expect(scheduler.evaluate(.found(leases[0])) == .reply(.stale))
    #expect(scheduler.evaluate(.found(leases[1])) == .settle(.post(1), .found))
  }

  @Test("The scheduler refuses a failure under any lease but the current one")
  mutating func lateFailure() {
    let session = scheduler.join(credit: 64)
    let old = released(1, by: session)
    #expect(scheduler.evaluate(.failed(old)) == .reply(.stale), "ready")
    let own = scheduler.sent()[session]?.first ?? old
    #expect(scheduler.evaluate(.failed(old)) == .reply(.stale), "leased again")
    #expect(scheduler.evaluate(.failed(own)) == .settle(.post(1), .failure))
    scheduler.delay(own.job, attempts: 1, untilMs: 5_000)
    #expect(scheduler.evaluate(.failed(own)) == .reply(.stale), "delayed")
    #expect(scheduler.sent(nowMs: 5_000)[session]?.count == 1)
  }

  @Test("A delayed job goes out at its time, with a higher token and its attempts")
  mutating func delay() {
    let session = scheduler.join(credit: 64)
    scheduler.add([Job.post(1), Job.post(2)])
    let leases = scheduler.sent()[session] ?? []
    for lease in leases { #expect(scheduler.evaluate(.failed(lease)) != .pending) }
    scheduler.delay(JobID(rawValue: 1), attempts: 1, untilMs: 2_000)
    scheduler.delay(JobID(rawValue: 2), attempts: 1, untilMs: 1_000)
    #expect(scheduler.nextDueMs == 1_000)
    #expect(scheduler.sent(nowMs: 999).isEmpty)
    #expect(scheduler.sent(nowMs: 1_000)[session]?.map(\.job.rawValue) == [2])
    #expect(scheduler.nextDueMs == 2_000)
    let again = scheduler.assign(nowMs: 2_000).first?.jobs.first
    #expect(again?.job == .post(1, attempts: 1))
    #expect((again?.lease.token ?? 0) > leases.map(\.token).max() ?? .max)
    #expect(scheduler.nextDueMs == .max)
  }

  @Test("A delayed job restored at a restart goes out at its time")
  mutating func resumed() {
    let session = scheduler.join(credit: 64)
    scheduler.resume(.post(1, attempts: 3), untilMs: 5_000)
    scheduler.resume(.post(1), untilMs: 1)
    #expect(scheduler.depth == 1)
    #expect(scheduler.sent(nowMs: 4_999).isEmpty)
    #expect(scheduler.assign(nowMs: 5_000).first?.jobs.map(\.job) == [.post(1, attempts: 3)])
    #expect(scheduler.sessions[session]?.leases.count == 1)
  }

  @Test("Only the last delay of a job counts")
  mutating func delayedTwice() {
    let session = scheduler.join(credit: 64)
    scheduler.add([Job.post(1)])
    scheduler.delay(JobID(rawValue: 1), attempts: 1, untilMs: 1_000)
    scheduler.delay(JobID(rawValue: 1), attempts: 1, untilMs: 3_000)
    #expect(scheduler.sent(nowMs: 2_000).isEmpty)
    #expect(scheduler.sent(nowMs: 3_000)[session]?.count == 1)
    #expect(scheduler.sent(nowMs: 4_000).isEmpty)
    scheduler.delay(JobID(rawValue: 404), attempts: 1, untilMs: 1)
    #expect(scheduler.nextDueMs == .max, "An unknown job has no due time.")
  }

  @Test("A cancelled lookup is removed, whether it is ready or leased")
  mutating func cancel() {
    let session = scheduler.join()
    scheduler.add([Job.lookup(1), Job.lookup(2), Job.post(3)])
    scheduler.cancel(JobID(lookup: 1))
    #expect(scheduler.readyCount == 2)
    scheduler.grant(1, to: session)
    let leases = scheduler.sent()[session] ?? []
    #expect(leases.map(\.job) == [JobID(lookup: 2)])
    scheduler.cancel(JobID(lookup: 2))
    #expect(scheduler.sessions[session]?.leases.isEmpty == true)
    #expect(leases.map { scheduler.evaluate(.found($0)) } == [.reply(.duplicate)])
    #expect(scheduler.depth == 1)
    scheduler.cancel(JobID(lookup: 404))
  }

  @Test("Cancelled lookups do not pile up while no worker is connected")
  mutating func cancelWithoutWorker() {
    for number: UInt64 in 1...1_000 {
      scheduler.add([Job.lookup(number)])
      scheduler.cancel(JobID(lookup: number))
    }
    #expect(scheduler.readyCount == 0)
    #expect(scheduler.depth == 0)
  }
}
