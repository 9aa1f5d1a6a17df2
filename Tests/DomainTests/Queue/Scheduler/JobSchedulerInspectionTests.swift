import Testing

@testable import Domain

@Suite("JobScheduler: inspection and pause")
struct JobSchedulerInspectionTests {
  private var scheduler = JobScheduler(generation: 1)

  private func counts(_ snapshot: QueueSnapshot) -> [Int] {
    [snapshot.ready, snapshot.leased, snapshot.committing, snapshot.delayed, snapshot.waitingRemote, snapshot.lookups]
  }

  /// Queues one post in each state, numbered 1 to 5 in the order of `QueueState`, and a lookup.
  private mutating func fill() -> UInt64 {
    let session = scheduler.join("tokyo", credit: 4)
    // The first worker has no remote provider, so a second one offers it.
    _ = scheduler.open(
      worker: "osaka", instance: Array(repeating: 2, count: 16), held: [], remoteIntervalMs: 0, nowMs: 0)
    scheduler.add([2, 3, 4, 5].map { Job.post($0) })
    let leases = scheduler.sent()[session] ?? []
    #expect(leases.count == 4)
    #expect(scheduler.evaluate(.found(leases[1])) == .settle(.post(3), .found))
    #expect(scheduler.evaluate(.failed(leases[2])) == .settle(.post(4), .failure))
    scheduler.delay(JobID(rawValue: 4), attempts: 1, untilMs: 9_000)
    let permitRequest = JobResult(lease: leases[3], reply: .needsRemote([]))
    #expect(scheduler.evaluate(permitRequest) == .reply(.committed))
    scheduler.add([Job.post(1), Job.lookup(7)])
    return session
  }

  @Test("The snapshot counts each post once by its state, and lookups separately")
  mutating func snapshot() {
    #expect(scheduler.snapshot(nowMs: 0) == QueueSnapshot())
    _ = fill()
    let snapshot = scheduler.snapshot(nowMs: 1_000)
    #expect(counts(snapshot) == [1, 1, 1, 1, 1, 1])
    #expect(snapshot.depth == 5 && snapshot.depth + snapshot.lookups == scheduler.depth)
  }

  @Test("A listing without a state has all posts by ascending id, and no lookups")
  mutating func waiting() {
    _ = fill()
    let all = scheduler.placements(in: nil, after: nil, limit: 10, nowMs: 1_000)
    #expect(all.map(\.id.rawValue) == [1, 2, 3, 4, 5])
    #expect(all.map(\.state) == [.ready, .leased, .committing, .delayed, .waitingRemote])
    let page = scheduler.placements(in: nil, after: all[1].id, limit: 2, nowMs: 1_000)
    #expect(page.map(\.id.rawValue) == [3, 4])
  }

  @Test("The longest wait counts ready posts only, and restarts after a pause")
  mutating func wait() {
    #expect(scheduler.longestWaitMs(nowMs: 5_000) == 0)
    _ = scheduler.assign(nowMs: 1_000)
    scheduler.add([Job.post(1), Job.lookup(1)])
    _ = scheduler.assign(nowMs: 3_000)
    scheduler.add([Job.post(2, account: 2), Job.post(3, account: 1), Job.post(4, leaseLosses: 2)])
    #expect(scheduler.longestWaitMs(nowMs: 11_000) == 10_000)
    #expect(scheduler.snapshot(nowMs: 11_000).longestWaitMs == 10_000)
    scheduler.isPaused = true
    #expect(scheduler.longestWaitMs(nowMs: 11_000) == 0)
    _ = scheduler.assign(nowMs: 11_000)
    scheduler.isPaused = false
    #expect(scheduler.longestWaitMs(nowMs: 12_000) == 1_000, "The end of a pause restarts the wait.")
    _ = scheduler.assign(nowMs: 12_000)
    scheduler.isPaused = false
    #expect(scheduler.longestWaitMs(nowMs: 12_000) == 1_000, "Resuming a queue that is not paused changes nothing.")
    let session = scheduler.join(credit: 4)
    let leases = scheduler.assign(nowMs: 13_000).flatMap(\.jobs).map(\.lease)
    #expect(leases.map(\.job.rawValue).contains(4), "The poison job has the only worker.")
    #expect(scheduler.longestWaitMs(nowMs: 14_000) == 3_000)
    scheduler.release(leases, of: session)
    _ = scheduler.assign(nowMs: 15_000)
    #expect(scheduler.longestWaitMs(nowMs: 16_000) == 5_000)
  }

  @Test("The snapshot shows each worker's credit, leases, counters and last activity")
  mutating func workers() {
    let session = fill()
    let isKnown = scheduler.recordActivity(session, nowMs: 2_000)
    #expect(isKnown)
    scheduler.count(results: 30, failures: 2, of: session)
    scheduler.count(results: 1, failures: 1, of: 404)
    scheduler.grant(10, to: session)
    let workers = scheduler.snapshot(nowMs: 5_000).workers
    #expect(workers.map(\.name) == ["tokyo", "osaka"])
    #expect(
      workers.first
        == .init(
          session: session, name: "tokyo", credit: 6, leases: 1, jobsSent: 4,
          results: .init(total: 30, perSecond: 10), failed: 2, lastSeenAgoMs: 3_000, isRemote: false))
    #expect(workers.last?.isRemote == true && workers.last?.lastSeenAgoMs == 5_000)
  }

  @Test("A placement names a post's state, worker and remaining time")
  mutating func placement() {
    _ = fill()
    let placements = (1...5).map { scheduler.placement(of: .numbered($0), nowMs: 1_000) }
    #expect(
      placements == [
        QueuePlacement(id: .numbered(1), state: .ready),
        QueuePlacement(id: .numbered(2), state: .leased, worker: "tokyo", remainingMs: Limits.leaseMs - 1_000),
        QueuePlacement(id: .numbered(3), state: .committing),
        QueuePlacement(id: .numbered(4), state: .delayed, remainingMs: 8_000),
        QueuePlacement(id: .numbered(5), state: .waitingRemote),
      ])
    #expect(scheduler.placement(of: .numbered(6), nowMs: 0) == nil)
    for (number, state) in zip(UInt64(1)..., QueueState.listed.dropLast()) {
      let found = scheduler.placements(in: state, after: nil, limit: 9, nowMs: 1_000)
      #expect(found.map(\.id) == [.numbered(number)], "\(state)")
    }
    #expect(scheduler.placements(in: .dead, after: nil, limit: 9, nowMs: 0).isEmpty)
  }

  @Test("Pages by ascending id list each post once, whatever their size", arguments: [1, 7, 99, 100, 101, 1_000])
  mutating func pages(limit: Int) {
    scheduler.add((1...100).reversed().map { Job.post($0, account: Int64($0 % 3)) } + [Job.lookup(1)])
    var (seen, after): ([PostID], PostID?) = ([], nil)
    while true {
      let page = scheduler.placements(in: .ready, after: after, limit: limit, nowMs: 0).map(\.id)
      #expect(page.count <= limit)
      guard let last = page.last else { break }
      (seen, after) = (seen + page, last)
    }
    #expect(seen == (1...100).map { .numbered($0) })
  }

  @Test("A paused queue accepts results and jobs, and sends no job until it is resumed")
  mutating func pause() {
    let session = scheduler.join(credit: 64)
    scheduler.add([Job.post(1), Job.post(2), Job.post(3)])
    let leases = scheduler.sent()[session] ?? []
    scheduler.isPaused = true
    scheduler.add([Job.post(4), Job.lookup(1)])
    #expect(scheduler.evaluate(.found(leases[0])) == .settle(.post(1), .found))
    scheduler.settled(JobID(rawValue: 1))
    #expect(scheduler.evaluate(.failed(leases[1])) == .settle(.post(2), .failure))
    scheduler.delay(JobID(rawValue: 2), attempts: 1, untilMs: 100)
    scheduler.release([leases[2]], of: session)
    #expect(scheduler.sent(nowMs: 200).isEmpty)
    #expect(counts(scheduler.snapshot(nowMs: 200)) == [3, 0, 0, 0, 0, 1])
    #expect(scheduler.nextDueMs == .max, "A paused queue has no due time.")
    scheduler.isPaused = false
    #expect(Set(scheduler.sent(nowMs: 200)[session]?.map(\.job) ?? []).count == 4)
  }

  @Test("A worker that is lost during a pause expires, and its jobs wait")
  mutating func lostInPause() {
    _ = scheduler.join(credit: 64)
    scheduler.add([Job.post(1)])
    #expect(scheduler.sent().count == 1)
    scheduler.isPaused = true
    scheduler.expectNoExpiry(from: 0, through: 6_000)
    #expect(scheduler.expire(nowMs: 6_001).losses.requeued == [JobID(rawValue: 1)])
    _ = scheduler.join(instance: 2, credit: 64, nowMs: 6_001)
    #expect(scheduler.sent(nowMs: 6_001).isEmpty)
    #expect(scheduler.snapshot(nowMs: 6_001).ready == 1)
  }

  @Test("A job waits for its remote permit until the queue is resumed, and has no due time before")
  mutating func remoteInPause() {
    guard
      let opened = scheduler.open(
        worker: "w", instance: Array(repeating: 1, count: 16), held: [], remoteIntervalMs: 0, nowMs: 0)
    else { preconditionFailure("The scheduler has a free session for a test.") }
    scheduler.grant(64, to: opened.session)
    scheduler.add([Job.post(1)])
    for lease in scheduler.sent()[opened.session] ?? [] {
      _ = scheduler.evaluate(JobResult(lease: lease, reply: .needsRemote([])))
    }
    #expect(scheduler.snapshot(nowMs: 0).waitingRemote == 1)
    #expect(scheduler.nextDueMs < .max)
    scheduler.isPaused = true
    #expect(scheduler.nextDueMs == .max)
    #expect(scheduler.sent(nowMs: 5_000).isEmpty)
    scheduler.isPaused = false
    #expect(scheduler.sent(nowMs: 5_000)[opened.session]?.count == 1)
  }
}
