import Testing

@testable import Domain

@Suite("JobScheduler: stalled workers")
struct JobSchedulerStalledTests {
  private var scheduler = JobScheduler(generation: 1)
  private var leases: [Lease] = []

  /// Connects a worker, and leases the jobs to it.
  private mutating func join(jobs: ClosedRange<UInt64> = 1...2) -> UInt64 {
    let session = scheduler.join(credit: 9)
    scheduler.add(jobs.map { Job.post($0) })
    leases = scheduler.sent()[session] ?? []
    return session
  }

  /// Sends a heartbeat with all leases every 2 s. Returns the jobs that are lost meanwhile.
  ///
  /// - Parameter progress: Returns the worker's progress at a time in seconds.
  private mutating func beat(
    _ session: UInt64, seconds: ClosedRange<Int64>, progress: (Int64) -> UInt64?
  ) -> [JobID] {
    var lost: [JobID] = []
    for second in seconds where second.isMultiple(of: 2) {
      let nowMs = second * 1_000
      _ = scheduler.recordActivity(session, nowMs: nowMs)
      scheduler.heartbeat(session, jobLimit: 9, held: leases, progress: progress(second), nowMs: nowMs)
      lost += scheduler.expire(nowMs: nowMs).losses.requeued
    }
    return lost
  }

  @Test("A worker is stalled after 15 heartbeats without progress and a lease older than 30 s")
  mutating func stalled() {
    let session = join()
    var lost = beat(session, seconds: 2...30) { _ in 7 }
    #expect(lost.isEmpty)
    #expect(scheduler.sessions[session]?.isStalled == false, "After 15 heartbeats the leases are 30 s old, not older.")
    lost = beat(session, seconds: 32...32) { _ in 7 }
    #expect(lost.isEmpty)
    #expect(scheduler.sessions[session]?.isStalled == true)
    #expect(scheduler.sessions[session]?.credit == 0)
    lost = beat(session, seconds: 34...58) { _ in 7 }
    #expect(lost.isEmpty, "The leases last 30 s after their last extension.")
    lost = beat(session, seconds: 60...60) { _ in 7 }
    #expect(lost == leases.map(\.job))
    leases = []
    _ = beat(session, seconds: 62...90) { _ in 7 }
    #expect(scheduler.sessions[session]?.isStalled == true, "The handler still hangs, without any lease.")
    #expect(scheduler.sent(nowMs: 90_000).isEmpty)
    lost = beat(session, seconds: 92...92) { _ in 8 }
    #expect(lost.isEmpty)
    #expect(scheduler.sent(nowMs: 92_000)[session]?.isEmpty == false)
  }

  @Test("A worker is not stalled after 14 heartbeats without progress, however old its lease")
  mutating func beats() {
    let session = join()
    _ = beat(session, seconds: 2...100) { UInt64($0) }
    _ = beat(session, seconds: 102...126) { _ in 100 }
    #expect(scheduler.sessions[session]?.isStalled == false)
    _ = beat(session, seconds: 130...130) { _ in 101 }
    _ = beat(session, seconds: 132...156) { _ in 101 }
    #expect(scheduler.sessions[session]?.isStalled == false, "The worker made progress in between.")
    _ = beat(session, seconds: 158...158) { _ in 101 }
    #expect(scheduler.sessions[session]?.isStalled == true)
  }

  @Test("A worker without an old lease is idle, not stalled")
  mutating func idle() {
    let session = join()
    for lease in leases { _ = scheduler.evaluate(.found(lease)) }
    let old = leases
    leases = []
    _ = beat(session, seconds: 2...100) { _ in 2 }
    #expect(scheduler.sessions[session]?.isStalled == false)
    scheduler.add([Job.post(3)])
    leases = scheduler.sent(nowMs: 100_000)[session] ?? []
    var lost = beat(session, seconds: 102...130) { _ in 2 }
    #expect(lost.isEmpty)
    #expect(scheduler.sessions[session]?.isStalled == false)
    lost = beat(session, seconds: 132...158) { _ in 2 }
    #expect(lost.isEmpty)
    lost = beat(session, seconds: 160...160) { _ in 2 }
    #expect(lost == [JobID(rawValue: 3)])
    #expect(old.count == 2)
  }

  @Test("Heartbeats extend a lease for at most 300 s, whatever the worker's progress", arguments: [true, false])
  mutating func age(sendsProgress: Bool) {
    let session = join(jobs: 1...1)
    var lost = beat(session, seconds: 2...328) { sendsProgress ? UInt64($0) : nil }
    #expect(lost.isEmpty)
    #expect(scheduler.sessions[session]?.isStalled == false)
    lost = beat(session, seconds: 330...330) { sendsProgress ? UInt64($0) : nil }
    #expect(lost == leases.map(\.job))
  }

  @Test("A suspension of ingest restarts the count of heartbeats without progress")
  mutating func suspended() {
    let session = join()
    _ = beat(session, seconds: 2...28) { _ in 7 }
    _ = scheduler.expire(nowMs: 200_000)
    _ = beat(session, seconds: 202...228) { _ in 7 }
    #expect(scheduler.sessions[session]?.isStalled == false)
    _ = beat(session, seconds: 230...232) { _ in 7 }
    #expect(scheduler.sessions[session]?.isStalled == true)
  }

  @Test("A worker's heartbeats report its count of results, without resent ones")
  func progress() {
    var worker = WorkerSession(concurrency: 4, nowMs: 0)
    _ = worker.welcome(session: 1, heartbeatMs: 2_000, livenessMs: 6_000, nowMs: 0)
    let jobs = worker.receive((1...3).map { Lease(job: JobID(rawValue: $0), token: $0) }, nowMs: 0)
    func progress(_ times: Int64...) -> [UInt64] {
      times.flatMap { worker.tick(nowMs: $0) }.compactMap { message in
        if case .heartbeat(_, _, let progress) = message { progress } else { nil }
      }
    }
    #expect(progress(2_000) == [0])
    _ = worker.report([.found(jobs[0]), .failed(jobs[1])], nowMs: 2_001)
    #expect(progress(4_001, 6_001, 8_001) == [2, 2, 2])
    worker.reset()
    _ = worker.welcome(session: 2, heartbeatMs: 2_000, livenessMs: 6_000, nowMs: 9_000)
    #expect(progress(11_000) == [2])
  }
}
