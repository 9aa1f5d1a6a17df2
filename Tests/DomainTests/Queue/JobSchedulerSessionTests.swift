import Testing

@testable import Domain

@Suite("JobScheduler: sessions")
struct JobSchedulerSessionTests {
  private var dispatch = JobScheduler(boot: 1)
  private let instance = [UInt8](repeating: 1, count: 16)

  /// Three jobs, leased to one session.
  private mutating func leaseThree(nowMs: Int64 = 0) -> (session: UInt64, leases: [Lease]) {
    let session = dispatch.join(credit: 3, nowMs: nowMs)
    dispatch.add((1...3).map { Job.post($0) })
    return (session, dispatch.sent(nowMs: nowMs)[session] ?? [])
  }

  @Test("A worker that says goodbye is not blamed: its jobs go out again, uncounted")
  mutating func close() {
    let (session, leases) = leaseThree()
    #expect(dispatch.close(session, blamed: false) == JobScheduler.Losses())
    #expect(dispatch.sessions.isEmpty)
    let next = dispatch.join(instance: 2, credit: 64)
    let again = dispatch.assign(nowMs: 1).first { $0.session == next }?.jobs ?? []
    #expect(again.map(\.job) == (1...3).map { Job.post($0) })
    #expect(dispatch.redelivered == 3)
    #expect(again.allSatisfy { assignment in leases.allSatisfy { $0.token < assignment.lease.token } })
    #expect(dispatch.close(session, blamed: false).isEmpty, "A session ends once.")
  }

  @Test("Silence for longer than 6 s ends a session, and its jobs count the loss")
  mutating func silence() {
    let (session, _) = leaseThree()
    dispatch.beat(from: 0, through: 6_000)
    let isKnownBefore = dispatch.heard(session, nowMs: 5_000)
    #expect(isKnownBefore)
    dispatch.beat(from: 8_000, through: 11_000)
    let (silent, losses) = dispatch.expire(nowMs: 11_001)
    #expect(silent == [session])
    #expect(losses.requeued.map(\.rawValue) == [1, 2, 3])
    #expect(losses.dead.isEmpty && losses.lookups.isEmpty)
    let isKnown = dispatch.heard(session, nowMs: 11_002)
    #expect(!isKnown)
    #expect(dispatch.readyCount == 3)
  }

  @Test("The third lost worker makes a job dead: it goes out no more, and a result waits for its burial")
  mutating func poison() {
    dispatch.add([Job.post(1)])
    var nowMs: Int64 = 0
    var last: Lease?
    for loss in 1...3 {
      let session = dispatch.join(instance: UInt8(loss), credit: 1, nowMs: nowMs)
      let out = dispatch.assign(nowMs: nowMs).first?.jobs.first
      #expect(out?.job.leaseLosses == loss - 1)
      last = out?.lease
      dispatch.beat(from: nowMs, through: nowMs + Limits.livenessMs)
      nowMs += Limits.livenessMs + 1
      let (silent, losses) = dispatch.expire(nowMs: nowMs)
      #expect(silent == [session])
      #expect(losses.requeued == (loss < 3 ? [JobID(rawValue: 1)] : []))
      #expect(losses.dead == (loss < 3 ? [] : [JobID(rawValue: 1)]))
    }
    _ = dispatch.join(instance: 9, credit: 1, nowMs: nowMs)
    #expect(dispatch.sent(nowMs: nowMs).isEmpty)
    #expect(last.map { dispatch.judge(.found($0)) } == .pending)
    dispatch.settled(JobID(rawValue: 1))
    #expect(dispatch.depth == 0)
  }

  @Test("Losses of before a restart count")
  mutating func poisonFromDisk() {
    dispatch.add([Job.post(1, leaseLosses: 2)])
    _ = dispatch.join(credit: 1)
    #expect(dispatch.sent().count == 1)
    #expect(dispatch.expire(nowMs: 6_001).losses.dead == [JobID(rawValue: 1)])
  }

  @Test("A look-up whose worker is lost is not repeated", arguments: [true, false])
  mutating func lostLookup(blamed: Bool) {
    let session = dispatch.join(credit: 2)
    dispatch.add([Job.lookup(1), Job.post(2)])
    #expect(dispatch.sent()[session]?.count == 2)
    let losses = dispatch.close(session, blamed: blamed)
    #expect(losses.lookups == [JobID(lookup: 1)])
    #expect(losses.requeued == (blamed ? [JobID(rawValue: 2)] : []))
    #expect(dispatch.depth == 1)
  }

  @Test("A lease that no heartbeat has named for two beats is lost on the way: it goes out again, uncounted")
  mutating func reconciliation() {
    let (session, leases) = leaseThree()
    dispatch.heartbeat(session, jobLimit: 3, held: [leases[0], leases[1]], nowMs: 2_000)
    #expect(dispatch.sent(nowMs: 2_000).isEmpty, "Absent once: it may be on its way.")
    dispatch.heartbeat(session, jobLimit: 3, held: [leases[0], leases[1]], nowMs: 4_000)
    let again = dispatch.assign(nowMs: 4_000).first?.jobs ?? []
    #expect(again.map(\.job) == [.post(3)], "What never arrived has used up no credit.")
    #expect((again.first?.lease.token ?? 0) > leases[2].token)
  }

  @Test("Heartbeats that were held up and come together say nothing of what went out since")
  mutating func reconciliationOfABurst() {
    let (session, leases) = leaseThree(nowMs: 100)
    for nowMs: Int64 in 101...103 { dispatch.heartbeat(session, jobLimit: 3, held: [], nowMs: nowMs) }
    dispatch.heartbeat(session, jobLimit: 3, held: leases, nowMs: 2_000)
    #expect(dispatch.sent(nowMs: 2_000).isEmpty)
    #expect(dispatch.sessions[session]?.leases.count == 3)
  }

  @Test("A lease that is named in between is not lost")
  mutating func reconciliationInterrupted() {
    let (session, leases) = leaseThree()
    for (beat, held) in [Array(leases[..<2]), leases, Array(leases[..<2]), leases].enumerated() {
      dispatch.heartbeat(session, jobLimit: 99, held: held, nowMs: Int64(beat) * 2_000)
    }
    #expect(dispatch.sent(nowMs: 8_000).isEmpty)
    #expect(dispatch.sessions[session]?.leases.count == 3)
  }

  @Test("A job that is absent once, fails, and goes out again to the same worker is not lost on the way")
  mutating func reconciliationOfANewLease() {
    let session = dispatch.join(credit: 9)
    dispatch.add([Job.post(1)])
    let first = dispatch.sent()[session] ?? []
    // The heartbeat was under way before the job had arrived.
    dispatch.heartbeat(session, jobLimit: 9, held: [], nowMs: 2_000)
    #expect(first.map { dispatch.judge(.failed($0)) } == [.settle(.post(1), .failure)])
    dispatch.delay(JobID(rawValue: 1), attempts: 1, untilMs: 3_000)
    let second = dispatch.sent(nowMs: 3_000)[session] ?? []
    #expect(second.count == 1 && second != first)
    // As this one was.
    dispatch.heartbeat(session, jobLimit: 9, held: [], nowMs: 4_000)
    #expect(dispatch.sent(nowMs: 4_000).isEmpty)
    #expect(dispatch.sessions[session]?.leases == [JobID(rawValue: 1)])
    #expect(dispatch.sessions[session]?.jobsLost == 0)
    dispatch.heartbeat(session, jobLimit: 9, held: [], nowMs: 6_999)
    #expect(dispatch.sent(nowMs: 6_999).isEmpty, "Absent twice, and younger than two heartbeats.")
    dispatch.heartbeat(session, jobLimit: 9, held: [], nowMs: 7_000)
    #expect(dispatch.sent(nowMs: 7_000)[session]?.map(\.job) == [JobID(rawValue: 1)], "Now it is old enough.")
    #expect(dispatch.sessions[session]?.jobsLost == 1)
  }

  @Test("A heartbeat that names a job under a former lease does not name the present one")
  mutating func reconciliationByToken() {
    let (session, leases) = leaseThree()
    let former = Lease(job: leases[2].job, token: leases[2].token - 1)
    for nowMs: Int64 in [2_000, 4_000] {
      dispatch.heartbeat(session, jobLimit: 3, held: [leases[0], leases[1], former], nowMs: nowMs)
    }
    #expect(dispatch.sent(nowMs: 4_000)[session]?.map(\.job) == [leases[2].job])
  }

  @Test("Heartbeats extend the leases that they name; one that none names for 30 s ends, blamed")
  mutating func extension30s() {
    let (session, leases) = leaseThree()
    for beat: Int64 in 1...30 {
      dispatch.heartbeat(session, jobLimit: 3, held: leases, nowMs: beat * 2_000)
      _ = dispatch.heard(session, nowMs: beat * 2_000)
      #expect(dispatch.expire(nowMs: beat * 2_000).losses.isEmpty)
    }
    // Other messages keep the session, but not the leases.
    for second: Int64 in stride(from: 60, to: 90, by: 2) {
      _ = dispatch.heard(session, nowMs: second * 1_000)
      #expect(dispatch.expire(nowMs: second * 1_000).losses.isEmpty)
    }
    #expect(dispatch.expire(nowMs: 89_999).losses.isEmpty)
    _ = dispatch.heard(session, nowMs: 90_000)
    let (silent, losses) = dispatch.expire(nowMs: 90_000)
    #expect(silent.isEmpty)
    #expect(Set(losses.requeued.map(\.rawValue)) == [1, 2, 3])
    #expect(dispatch.sessions[session]?.leases.isEmpty == true)
  }

  @Test("A heartbeat repeats the credit, so that a lost grant heals")
  mutating func heartbeatCredit() {
    let session = dispatch.join()
    dispatch.add([Job.post(1)])
    dispatch.heartbeat(session, jobLimit: 1, held: [], nowMs: 2_000)
    #expect(dispatch.sent(nowMs: 2_000)[session]?.count == 1)
  }

  @Test("A heartbeat extends nobody else's lease, and none under another token")
  mutating func foreignHeartbeat() {
    let (_, leases) = leaseThree()
    let other = dispatch.join(instance: 2)
    dispatch.heartbeat(other, jobLimit: 0, held: leases, nowMs: 29_000)
    _ = dispatch.heard(1 << 40 | 1, nowMs: 29_000)
    _ = dispatch.heard(other, nowMs: 29_000)
    #expect(dispatch.expire(nowMs: 30_000).losses.requeued.count == 3)
  }

  @Test("The same instance's HELLO takes over what it still holds; the rest goes out again")
  mutating func takeover() {
    let (old, leases) = leaseThree()
    let opened = dispatch.open(worker: "w", instance: instance, held: [leases[0], leases[2]], nowMs: 20_000)
    #expect(opened?.replaced == old)
    let new = opened?.session ?? 0
    #expect(new > old)
    #expect(dispatch.sessions.keys.sorted() == [new])
    #expect(dispatch.sessions[new]?.leases.map(\.rawValue).sorted() == [1, 3])
    let isOldKnown = dispatch.heard(old, nowMs: 20_000)
    #expect(!isOldKnown)
    dispatch.grant(64, to: new)
    #expect(dispatch.sent(nowMs: 20_000)[new]?.map(\.job.rawValue) == [2])
    #expect(dispatch.judge(.failed(leases[0])) == .settle(.post(1), .failure), "The lease is as good as before.")
    #expect(dispatch.judge(.failed(leases[1])) == .answer(.stale))
    _ = dispatch.heard(new, nowMs: 49_000)
    #expect(dispatch.expire(nowMs: 49_999).losses.isEmpty, "A lease that is taken over is extended.")
  }

  @Test("HELLO takes over nothing that is another's, of another token, or settled")
  mutating func takeoverForeign() {
    let (old, leases) = leaseThree()
    let other = dispatch.open(worker: "w", instance: [2], held: leases, nowMs: 0)
    #expect(other?.replaced == nil)
    #expect(dispatch.sessions[other?.session ?? 0]?.leases.isEmpty == true)
    #expect(dispatch.sessions[old]?.leases.count == 3)

    #expect(dispatch.judge(.found(leases[0])) == .settle(.post(1), .found))
    let forged = Lease(job: leases[1].job, token: leases[1].token + 100)
    let new = dispatch.open(worker: "w", instance: instance, held: [leases[0], forged, leases[2]], nowMs: 0)
    #expect(dispatch.sessions[new?.session ?? 0]?.leases == [leases[2].job])
    #expect(dispatch.readyCount == 1)
  }

  @Test("There are 1,000 sessions at most; a known instance may always come back")
  mutating func sessionsMax() {
    for number in 0..<1_000 {
      let bytes = [UInt8(number >> 8), UInt8(number & 255)]
      #expect(dispatch.open(worker: "w", instance: bytes, held: [], nowMs: 0) != nil)
    }
    #expect(dispatch.open(worker: "w", instance: [9, 9, 9], held: [], nowMs: 0) == nil)
    #expect(dispatch.open(worker: "w", instance: [0, 5], held: [], nowMs: 0)?.replaced != nil)
    #expect(dispatch.sessions.count == 1_000)
    #expect(dispatch.expire(nowMs: 6_001).sessions.count == 1_000)
    #expect(dispatch.open(worker: "w", instance: [9, 9, 9], held: [], nowMs: 6_001) != nil)
  }

  @Test("What a worker gives back goes out again at once, uncounted")
  mutating func release() {
    let (session, leases) = leaseThree()
    dispatch.release(
      [leases[0], Lease(job: leases[1].job, token: 1), Lease(job: JobID(rawValue: 9), token: 1)], of: session)
    #expect(dispatch.readyCount == 1, "Only under its own lease.")
    dispatch.release([leases[2]], of: session + 1_000)
    #expect(dispatch.readyCount == 1, "Only its own.")
    let other = dispatch.join(instance: 2, credit: 9)
    #expect(dispatch.assign(nowMs: 0).first { $0.session == other }?.jobs.map(\.job) == [.post(1)])
    #expect(dispatch.sessions[session]?.leases.count == 2)
  }

  @Test("What could not be sent goes to others, and its worker gets nothing until it grants credit again")
  mutating func undelivered() {
    let (session, leases) = leaseThree()
    dispatch.undelivered(leases, to: session)
    #expect(dispatch.sent().isEmpty)
    #expect(dispatch.sessions[session]?.leases.isEmpty == true)
    let other = dispatch.join(instance: 2, credit: 1)
    #expect(dispatch.sent()[other]?.map(\.job.rawValue) == [1])
    dispatch.grant(3, to: session)
    #expect(dispatch.sent()[session]?.map(\.job.rawValue) == [2, 3], "What never arrived has used up no credit.")
  }

  @Test("Where ingest itself stood still nobody is blamed: all sessions and leases begin anew, once")
  mutating func standstill() {
    let (session, leases) = leaseThree()
    dispatch.beat(from: 0, through: 2_000)
    dispatch.beat(from: 60_000, through: 66_000)
    #expect(dispatch.sessions.keys.sorted() == [session])
    #expect(dispatch.readyCount == 0, "The leases are as they were.")
    let (silent, losses) = dispatch.expire(nowMs: 66_001)
    #expect(silent == [session])
    #expect(losses.requeued == leases.map(\.job))
  }

  @Test("A standstill right after the start blames nobody either")
  mutating func standstillAtStart() {
    dispatch = JobScheduler(boot: 1, startMs: 0)
    _ = dispatch.join(instance: 1, credit: 3)
    let (silent, losses) = dispatch.expire(nowMs: 60_000)
    #expect(silent.isEmpty && losses.isEmpty)
  }

  @Test("After a standstill a lease lasts for 30 s again")
  mutating func standstillOfLeases() {
    let (session, leases) = leaseThree()
    dispatch.beat(from: 0, through: 2_000)
    for nowMs: Int64 in stride(from: 60_000, to: 90_000, by: 2_000) {
      _ = dispatch.heard(session, nowMs: nowMs)
      dispatch.beat(from: nowMs, through: nowMs)
    }
    dispatch.beat(from: 89_999, through: 89_999)
    let (silent, losses) = dispatch.expire(nowMs: 90_000)
    #expect(silent.isEmpty)
    #expect(Set(losses.requeued) == Set(leases.map(\.job)))
  }

  @Test(
    "A worker that lives is never blamed for a stall of ingest, and one that is gone only after a short one",
    arguments: [0, 2_000, 2_001, 4_000, 4_001, 6_000, 6_001, 60_000] as [Int64])
  mutating func stall(stallMs: Int64) {
    let (living, gone) = (dispatch.join(instance: 1), dispatch.join(instance: 2))
    dispatch.beat(from: 0, through: 4_000)
    // Its next heartbeat is due just when ingest hears nothing any more.
    _ = dispatch.heard(living, nowMs: 2_000)
    let silent = dispatch.expire(nowMs: 4_000 + stallMs).sessions
    #expect(silent == ((2_001...4_000).contains(stallMs) ? [gone] : []))
  }

  @Test("A session that has ended gets nothing more")
  mutating func ended() {
    let session = dispatch.join(credit: 64)
    #expect(dispatch.close(session, blamed: false).isEmpty)
    dispatch.add([Job.post(1)])
    #expect(dispatch.sent().isEmpty)
    dispatch.heartbeat(session, jobLimit: 99, held: [], nowMs: 0)
    #expect(dispatch.sent().isEmpty)
  }
}
