import Testing

@testable import Domain

@Suite("JobScheduler: poison jobs")
struct JobSchedulerPoisonTests {
  private var scheduler = JobScheduler(generation: 1)

  @Test("A job with two lost leases is leased alone")
  mutating func alone() {
    let session = scheduler.join(credit: 9)
    scheduler.add([Job.post(1), Job.post(2, leaseLosses: 2), Job.post(3)])
    let first = scheduler.sent()[session] ?? []
    #expect(first.map(\.job.rawValue) == [2])
    #expect(scheduler.readyCount == 2)
    #expect(scheduler.sent().isEmpty)
    #expect(scheduler.evaluate(.found(first[0])) == .settle(.post(2, leaseLosses: 2), .found))
    #expect(scheduler.sent()[session]?.map(\.job.rawValue) == [1, 3])
  }

  @Test("Other workers get jobs while one worker has a poison job")
  mutating func others() {
    let sessions = (1...2).map { scheduler.join(instance: $0, credit: 9) }
    scheduler.add([Job.post(1, leaseLosses: 2), Job.post(2), Job.post(3)])
    let sent = scheduler.sent()
    #expect(sent[sessions[0]]?.map(\.job.rawValue) == [1])
    #expect(sent[sessions[1]]?.map(\.job.rawValue) == [2, 3])
  }

  @Test("The least busy worker is reserved for a poison job until it is free")
  mutating func reserved() {
    let sessions = (1...2).map { scheduler.join(instance: $0, credit: 64) }
    scheduler.add((1...40).map { Job.post($0) })
    let busy = scheduler.sent()
    scheduler.add((41...42).map { Job.post($0) } + [Job.post(99, leaseLosses: 2)])
    let next = scheduler.sent()
    #expect(next.count == 1)
    let waiting = sessions.first { next[$0] == nil } ?? 0
    for lease in busy[waiting] ?? [] { _ = scheduler.evaluate(.found(lease)) }
    #expect(scheduler.sent()[waiting]?.map(\.job.rawValue) == [99])
  }

  @Test("A poison job costs other jobs at most two leases, so none of them becomes dead")
  mutating func poison() {
    let poison = JobID(rawValue: 1)
    scheduler.add((1...64).map { Job.post($0) })
    var nowMs: Int64 = 0
    var (dead, lost): ([JobID], [JobID: Int]) = ([], [:])
    for instance: UInt8 in 1...200 where scheduler.depth > 0 {
      let session = scheduler.join(instance: instance, credit: 1_000, nowMs: nowMs)
      // The worker settles its jobs until it gets the poison job.
      var isAlive = true
      while isAlive, let leases = scheduler.sent(nowMs: nowMs)[session] {
        isAlive = !leases.contains { $0.job == poison }
        guard isAlive else { break }
        for lease in leases {
          _ = scheduler.evaluate(.found(lease))
          scheduler.settled(lease.job)
        }
      }
      guard !isAlive else { continue }
      scheduler.expectNoExpiry(from: nowMs, through: nowMs + Limits.livenessMs)
      nowMs += Limits.livenessMs + 1
      let losses = scheduler.expire(nowMs: nowMs).losses
      for job in losses.requeued { lost[job, default: 0] += 1 }
      for job in losses.dead { scheduler.settled(job) }
      dead += losses.dead
    }
    #expect(scheduler.depth == 0)
    #expect(dead == [poison])
    #expect(lost.removeValue(forKey: poison) == 2)
    #expect(!lost.isEmpty && lost.values.allSatisfy { $0 <= 2 })
  }

  @Test("A worker that reconnects with a poison job gets no other job")
  mutating func takeover() {
    _ = scheduler.join(credit: 9)
    scheduler.add([Job.post(1, leaseLosses: 2), Job.post(2)])
    let leases = scheduler.sent().values.first ?? []
    let again = scheduler.open(worker: "w", instance: .init(repeating: 1, count: 16), held: leases, nowMs: 1)
    scheduler.grant(9, to: again?.session ?? 0)
    #expect(scheduler.sent(nowMs: 1).isEmpty)
  }

  @Test("A poison job goes to another worker when its reserved worker disconnects")
  mutating func reservedDisconnects() {
    let sessions = (1...2).map { scheduler.join(instance: $0, credit: 64) }
    scheduler.add((1...40).map { Job.post($0) })
    let busy = scheduler.sent()
    scheduler.add([Job.post(99, leaseLosses: 2)])
    #expect(scheduler.sent().isEmpty)
    let reservedID = scheduler.reserved ?? 0
    _ = scheduler.close(reservedID, countsAsLoss: false)
    let other = sessions.first { $0 != reservedID } ?? 0
    for lease in busy[other] ?? [] { _ = scheduler.evaluate(.found(lease)) }
    #expect(scheduler.sent()[other]?.map(\.job.rawValue) == [99])
    #expect(scheduler.reserved == nil)
  }
}
