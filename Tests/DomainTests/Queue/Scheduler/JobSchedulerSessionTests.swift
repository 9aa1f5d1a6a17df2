import Testing

@testable import Domain

@Suite("JobScheduler: sessions")
struct JobSchedulerSessionTests {
  private var scheduler = JobScheduler(generation: 1)
  private let instance = [UInt8](repeating: 1, count: 16)

  /// Leases three jobs to one session.
  private mutating func leaseThree(nowMs: Int64 = 0) -> (session: UInt64, leases: [Lease]) {
    let session = scheduler.join(credit: 3, nowMs: nowMs)
    scheduler.add((1...3).map { Job.post($0) })
    return (session, scheduler.sent(nowMs: nowMs)[session] ?? [])
  }

  @Test("A worker's goodbye requeues its jobs without a loss")
  mutating func close() {
    let (session, leases) = leaseThree()
    #expect(scheduler.close(session, countsAsLoss: false) == JobScheduler.LostLeases())
    #expect(scheduler.sessions.isEmpty)
    let next = scheduler.join(instance: 2, credit: 64)
    let again = scheduler.assign(nowMs: 1).first { $0.session == next }?.jobs ?? []
    #expect(again.map(\.job) == (1...3).map { Job.post($0) })
    #expect(scheduler.redelivered == 3)
    #expect(again.allSatisfy { assignment in leases.allSatisfy { $0.token < assignment.lease.token } })
    #expect(scheduler.close(session, countsAsLoss: false).isEmpty, "A closed session has no leases.")
  }

  @Test("Silence for more than 6 s ends a session, and its jobs count a loss")
  mutating func silence() {
    let (session, _) = leaseThree()
    scheduler.expectNoExpiry(from: 0, through: 6_000)
    let isKnownBefore = scheduler.recordActivity(session, nowMs: 5_000)
    #expect(isKnownBefore)
    scheduler.expectNoExpiry(from: 8_000, through: 11_000)
    let (silent, losses) = scheduler.expire(nowMs: 11_001)
    #expect(silent == [session])
    #expect(losses.requeued.map(\.rawValue) == [1, 2, 3])
    #expect(losses.dead.isEmpty && losses.lookups.isEmpty)
    let isKnown = scheduler.recordActivity(session, nowMs: 11_002)
    #expect(!isKnown)
    #expect(scheduler.readyCount == 3)
  }

  @Test("The third lost lease makes a job dead, and a later result waits for that commit")
  mutating func poison() {
    scheduler.add([Job.post(1)])
    var nowMs: Int64 = 0
    var last: Lease?
    for loss in 1...3 {
      let session = scheduler.join(instance: UInt8(loss), credit: 1, nowMs: nowMs)
      let assignment = scheduler.assign(nowMs: nowMs).first?.jobs.first
      #expect(assignment?.job.leaseLosses == loss - 1)
      last = assignment?.lease
      scheduler.expectNoExpiry(from: nowMs, through: nowMs + Limits.livenessMs)
      nowMs += Limits.livenessMs + 1
      let (silent, losses) = scheduler.expire(nowMs: nowMs)
      #expect(silent == [session])
      #expect(losses.requeued == (loss < 3 ? [JobID(rawValue: 1)] : []))
      #expect(losses.dead == (loss < 3 ? [] : [JobID(rawValue: 1)]))
    }
    _ = scheduler.join(instance: 9, credit: 1, nowMs: nowMs)
    #expect(scheduler.sent(nowMs: nowMs).isEmpty)
    #expect(last.map { scheduler.evaluate(.found($0)) } == .pending)
    scheduler.settled(JobID(rawValue: 1))
    #expect(scheduler.depth == 0)
  }

  @Test("Lost leases from before a restart count")
  mutating func poisonFromDisk() {
    scheduler.add([Job.post(1, leaseLosses: 2)])
    _ = scheduler.join(credit: 1)
    #expect(scheduler.sent().count == 1)
    #expect(scheduler.expire(nowMs: 6_001).losses.dead == [JobID(rawValue: 1)])
  }

  @Test("A lookup is not requeued when its session closes", arguments: [true, false])
  mutating func lostLookup(countsAsLoss: Bool) {
    let session = scheduler.join(credit: 2)
    scheduler.add([Job.lookup(1), Job.post(2)])
    #expect(scheduler.sent()[session]?.count == 2)
    let losses = scheduler.close(session, countsAsLoss: countsAsLoss)
    #expect(losses.lookups == [JobID(lookup: 1)])
    #expect(losses.requeued == (countsAsLoss ? [JobID(rawValue: 2)] : []))
    #expect(scheduler.depth == 1)
  }

  @Test("A lease that two heartbeats omit is undelivered, and its job is leased again without a loss")
  mutating func reconciliation() {
    let (session, leases) = leaseThree()
    scheduler.heartbeat(session, jobLimit: 3, held: [leases[0], leases[1]], nowMs: 2_000)
    #expect(scheduler.sent(nowMs: 2_000).isEmpty, "A lease that one heartbeat omits may be in flight.")
    scheduler.heartbeat(session, jobLimit: 3, held: [leases[0], leases[1]], nowMs: 4_000)
    let again = scheduler.assign(nowMs: 4_000).first?.jobs ?? []
    #expect(again.map(\.job) == [.post(3)], "An undelivered job uses no credit.")
    #expect((again.first?.lease.token ?? 0) > leases[2].token)
  }

  @Test("A burst of delayed heartbeats does not make new leases undelivered")
  mutating func reconciliationOfABurst() {
    let (session, leases) = leaseThree(nowMs: 100)
    for nowMs: Int64 in 101...103 { scheduler.heartbeat(session, jobLimit: 3, held: [], nowMs: nowMs) }
    scheduler.heartbeat(session, jobLimit: 3, held: leases, nowMs: 2_000)
    #expect(scheduler.sent(nowMs: 2_000).isEmpty)
    #expect(scheduler.sessions[session]?.leases.count == 3)
  }

  @Test("A lease that no two heartbeats in a row omit is kept")
  mutating func reconciliationInterrupted() {
    let (session, leases) = leaseThree()
    for (beat, held) in [Array(leases[..<2]), leases, Array(leases[..<2]), leases].enumerated() {
      scheduler.heartbeat(session, jobLimit: 99, held: held, nowMs: Int64(beat) * 2_000)
    }
    #expect(scheduler.sent(nowMs: 8_000).isEmpty)
    #expect(scheduler.sessions[session]?.leases.count == 3)
  }

  @Test("A new lease of a failed job starts a new count of heartbeats that omit it")
  mutating func reconciliationOfANewLease() {
    let session = scheduler.join(credit: 9)
    scheduler.add([Job.post(1)])
    let first = scheduler.sent()[session] ?? []
    // The worker sent this heartbeat before the job arrived.
    scheduler.heartbeat(session, jobLimit: 9, held: [], nowMs: 2_000)
    #expect(first.map { scheduler.evaluate(.failed($0)) } == [.settle(.post(1), .failure)])
    scheduler.delay(JobID(rawValue: 1), attempts: 1, untilMs: 3_000)
    let second = scheduler.sent(nowMs: 3_000)[session] ?? []
    #expect(second.count == 1 && second != first)
    // The worker sent this heartbeat, too, before the job arrived.
    scheduler.heartbeat(session, jobLimit: 9, held: [], nowMs: 4_000)
    #expect(scheduler.sent(nowMs: 4_000).isEmpty)
    #expect(scheduler.sessions[session]?.leases == [JobID(rawValue: 1)])
    #expect(scheduler.sessions[session]?.jobsUndelivered == 0)
    scheduler.heartbeat(session, jobLimit: 9, held: [], nowMs: 6_999)
    #expect(
      scheduler.sent(nowMs: 6_999).isEmpty, "Two heartbeats omit the lease, but it is younger than two intervals.")
    scheduler.heartbeat(session, jobLimit: 9, held: [], nowMs: 7_000)
    #expect(scheduler.sent(nowMs: 7_000)[session]?.map(\.job) == [JobID(rawValue: 1)], "Now the lease is old enough.")
    #expect(scheduler.sessions[session]?.jobsUndelivered == 1)
  }

  @Test("A heartbeat that names an earlier lease of a job omits its current lease")
  mutating func reconciliationByToken() {
    let (session, leases) = leaseThree()
    let former = Lease(job: leases[2].job, token: leases[2].token - 1)
    for nowMs: Int64 in [2_000, 4_000] {
      scheduler.heartbeat(session, jobLimit: 3, held: [leases[0], leases[1], former], nowMs: nowMs)
    }
    #expect(scheduler.sent(nowMs: 4_000)[session]?.map(\.job) == [leases[2].job])
  }

  @Test("Heartbeats extend the leases that they name, and other leases expire after 30 s with a loss")
  mutating func extension30s() {
    let (session, leases) = leaseThree()
    for beat: Int64 in 1...30 {
      scheduler.heartbeat(session, jobLimit: 3, held: leases, nowMs: beat * 2_000)
      _ = scheduler.recordActivity(session, nowMs: beat * 2_000)
      #expect(scheduler.expire(nowMs: beat * 2_000).losses.isEmpty)
    }
    // Other messages keep the session alive, but do not extend leases.
    for second: Int64 in stride(from: 60, to: 90, by: 2) {
      _ = scheduler.recordActivity(session, nowMs: second * 1_000)
      #expect(scheduler.expire(nowMs: second * 1_000).losses.isEmpty)
    }
    #expect(scheduler.expire(nowMs: 89_999).losses.isEmpty)
    _ = scheduler.recordActivity(session, nowMs: 90_000)
    let (silent, losses) = scheduler.expire(nowMs: 90_000)
    #expect(silent.isEmpty)
    #expect(Set(losses.requeued.map(\.rawValue)) == [1, 2, 3])
    #expect(scheduler.sessions[session]?.leases.isEmpty == true)
  }

  @Test("A heartbeat repeats the credit and so replaces a lost grant")
  mutating func heartbeatCredit() {
    let session = scheduler.join()
    scheduler.add([Job.post(1)])
    scheduler.heartbeat(session, jobLimit: 1, held: [], nowMs: 2_000)
    #expect(scheduler.sent(nowMs: 2_000)[session]?.count == 1)
  }

  @Test("A heartbeat does not extend leases of another session")
  mutating func foreignHeartbeat() {
    let (_, leases) = leaseThree()
    let other = scheduler.join(instance: 2)
    scheduler.heartbeat(other, jobLimit: 0, held: leases, nowMs: 29_000)
    _ = scheduler.recordActivity(1 << 40 | 1, nowMs: 29_000)
    _ = scheduler.recordActivity(other, nowMs: 29_000)
    #expect(scheduler.expire(nowMs: 30_000).losses.requeued.count == 3)
  }

  @Test("HELLO of a known instance takes over the leases that it names, and requeues its other jobs")
  mutating func takeover() {
    let (old, leases) = leaseThree()
    let opened = scheduler.open(worker: "w", instance: instance, held: [leases[0], leases[2]], nowMs: 20_000)
    #expect(opened?.replaced == old)
    let new = opened?.session ?? 0
    #expect(new > old)
    #expect(scheduler.sessions.keys.sorted() == [new])
    #expect(scheduler.sessions[new]?.leases.map(\.rawValue).sorted() == [1, 3])
    let isOldKnown = scheduler.recordActivity(old, nowMs: 20_000)
    #expect(!isOldKnown)
    scheduler.grant(64, to: new)
    #expect(scheduler.sent(nowMs: 20_000)[new]?.map(\.job.rawValue) == [2])
    #expect(
      scheduler.evaluate(.failed(leases[0])) == .settle(.post(1), .failure), "The taken-over lease is still valid.")
    #expect(scheduler.evaluate(.failed(leases[1])) == .reply(.stale))
    _ = scheduler.recordActivity(new, nowMs: 49_000)
    #expect(scheduler.expire(nowMs: 49_999).losses.isEmpty, "Taking a lease over extends it.")
  }

  @Test("HELLO does not take over foreign, forged or settled leases")
  mutating func takeoverForeign() {
    let (old, leases) = leaseThree()
    let other = scheduler.open(worker: "w", instance: [2], held: leases, nowMs: 0)
    #expect(other?.replaced == nil)
    #expect(scheduler.sessions[other?.session ?? 0]?.leases.isEmpty == true)
    #expect(scheduler.sessions[old]?.leases.count == 3)

    #expect(scheduler.evaluate(.found(leases[0])) == .settle(.post(1), .found))
    let forged = Lease(job: leases[1].job, token: leases[1].token + 100)
    let new = scheduler.open(worker: "w", instance: instance, held: [leases[0], forged, leases[2]], nowMs: 0)
    #expect(scheduler.sessions[new?.session ?? 0]?.leases == [leases[2].job])
    #expect(scheduler.readyCount == 1)
  }

  @Test("The scheduler has at most 1,000 sessions, and a known instance may always reconnect")
  mutating func sessionsMax() {
    for number in 0..<1_000 {
      let bytes = [UInt8(number >> 8), UInt8(number & 255)]
      #expect(scheduler.open(worker: "w", instance: bytes, held: [], nowMs: 0) != nil)
    }
    #expect(scheduler.open(worker: "w", instance: [9, 9, 9], held: [], nowMs: 0) == nil)
    #expect(scheduler.open(worker: "w", instance: [0, 5], held: [], nowMs: 0)?.replaced != nil)
    #expect(scheduler.sessions.count == 1_000)
    #expect(scheduler.expire(nowMs: 6_001).sessions.count == 1_000)
    #expect(scheduler.open(worker: "w", instance: [9, 9, 9], held: [], nowMs: 6_001) != nil)
  }

  @Test("A released job goes out again immediately without a loss")
  mutating func release() {
    let (session, leases) = leaseThree()
    scheduler.release(
      [leases[0], Lease(job: leases[1].job, token: 1), Lease(job: JobID(rawValue: 9), token: 1)], of: session)
    #expect(scheduler.readyCount == 1, "Only the job's current lease releases it.")
    scheduler.release([leases[2]], of: session + 1_000)
    #expect(scheduler.readyCount == 1, "A session releases only its own leases.")
    let other = scheduler.join(instance: 2, credit: 9)
    #expect(scheduler.assign(nowMs: 0).first { $0.session == other }?.jobs.map(\.job) == [.post(1)])
    #expect(scheduler.sessions[session]?.leases.count == 2)
  }

  @Test("Unsent jobs go to other workers, and their worker gets none until it grants credit again")
  mutating func sendFailed() {
    let (session, leases) = leaseThree()
    scheduler.sendFailed(leases, to: session)
    #expect(scheduler.sent().isEmpty)
    #expect(scheduler.sessions[session]?.leases.isEmpty == true)
    let other = scheduler.join(instance: 2, credit: 1)
    #expect(scheduler.sent()[other]?.map(\.job.rawValue) == [1])
    scheduler.grant(3, to: session)
    #expect(scheduler.sent()[session]?.map(\.job.rawValue) == [2, 3], "An undelivered job uses no credit.")
  }

  @Test("A suspension of ingest restarts all timeouts of sessions and leases without a loss")
  mutating func suspended() {
    let (session, leases) = leaseThree()
    scheduler.expectNoExpiry(from: 0, through: 2_000)
    scheduler.expectNoExpiry(from: 60_000, through: 66_000)
    #expect(scheduler.sessions.keys.sorted() == [session])
    #expect(scheduler.readyCount == 0, "The leases are unchanged.")
    let (silent, losses) = scheduler.expire(nowMs: 66_001)
    #expect(silent == [session])
    #expect(losses.requeued == leases.map(\.job))
  }

  @Test("A suspension right after the start of ingest causes no loss")
  mutating func suspendedAtStart() {
    scheduler = JobScheduler(generation: 1, startMs: 0)
    _ = scheduler.join(instance: 1, credit: 3)
    let (silent, losses) = scheduler.expire(nowMs: 60_000)
    #expect(silent.isEmpty && losses.isEmpty)
  }

  @Test("A lease lasts 30 s again after a suspension of ingest")
  mutating func suspendedWithLeases() {
    let (session, leases) = leaseThree()
    scheduler.expectNoExpiry(from: 0, through: 2_000)
    for nowMs: Int64 in stride(from: 60_000, to: 90_000, by: 2_000) {
      _ = scheduler.recordActivity(session, nowMs: nowMs)
      scheduler.expectNoExpiry(from: nowMs, through: nowMs)
    }
    scheduler.expectNoExpiry(from: 89_999, through: 89_999)
    let (silent, losses) = scheduler.expire(nowMs: 90_000)
    #expect(silent.isEmpty)
    #expect(Set(losses.requeued) == Set(leases.map(\.job)))
  }

  @Test(
    "A suspension of ingest never expires a live worker, and a lost worker only if it is short",
    arguments: [0, 2_000, 2_001, 4_000, 4_001, 6_000, 6_001, 60_000] as [Int64])
  mutating func suspension(suspendedMs: Int64) {
    let (live, lost) = (scheduler.join(instance: 1), scheduler.join(instance: 2))
    scheduler.expectNoExpiry(from: 0, through: 4_000)
    // The live worker's next heartbeat is due just when the suspension begins.
    _ = scheduler.recordActivity(live, nowMs: 2_000)
    let silent = scheduler.expire(nowMs: 4_000 + suspendedMs).sessions
    #expect(silent == ((2_001...4_000).contains(suspendedMs) ? [lost] : []))
  }

  @Test("A closed session gets no jobs")
  mutating func ended() {
    let session = scheduler.join(credit: 64)
    #expect(scheduler.close(session, countsAsLoss: false).isEmpty)
    scheduler.add([Job.post(1)])
    #expect(scheduler.sent().isEmpty)
    scheduler.heartbeat(session, jobLimit: 99, held: [], nowMs: 0)
    #expect(scheduler.sent().isEmpty)
  }
}
