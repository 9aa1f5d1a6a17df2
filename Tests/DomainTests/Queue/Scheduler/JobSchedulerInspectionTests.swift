import Testing

@testable import Domain

@Suite("JobScheduler: what an operator sees and does")
struct JobSchedulerInspectionTests {
  private var scheduler = JobScheduler(generation: 1)

  private func counts(_ snapshot: QueueSnapshot) -> [Int] {
    [snapshot.ready, snapshot.leased, snapshot.settling, snapshot.delayed, snapshot.waiting, snapshot.lookups]
  }

  /// Queues one post in each state, and a lookup; the numbers are 1 to 5 in the order of `QueueState`.
  private mutating func fill() -> UInt64 {
    let session = scheduler.join("tokyo", credit: 4)
    // It has no provider when it gives its answer back, so another one has.
    _ = scheduler.open(
      worker: "osaka", instance: Array(repeating: 2, count: 16), held: [], remoteIntervalMs: 0, nowMs: 0)
    scheduler.add([2, 3, 4, 5].map { Job.post($0) })
    let leases = scheduler.sent()[session] ?? []
    #expect(leases.count == 4)
    #expect(scheduler.evaluate(.found(leases[1])) == .settle(.post(3), .found))
    #expect(scheduler.evaluate(.failed(leases[2])) == .settle(.post(4), .failure))
    scheduler.delay(JobID(rawValue: 4), attempts: 1, untilMs: 9_000)
    let needed = JobResult(lease: leases[3], reply: .needsRemote([]))
    #expect(scheduler.evaluate(needed) == .reply(.committed))
    scheduler.add([Job.post(1), Job.lookup(7)])
    return session
  }

  @Test("Every job is counted once, by its state; lookups by themselves")
  mutating func snapshot() {
    #expect(scheduler.snapshot(nowMs: 0) == QueueSnapshot())
    _ = fill()
    let snapshot = scheduler.snapshot(nowMs: 1_000)
    #expect(counts(snapshot) == [1, 1, 1, 1, 1, 1])
    #expect(snapshot.depth == 5 && snapshot.depth + snapshot.lookups == scheduler.depth)
  }

  @Test("All that wait are listed by rising id where no state is named; lookups are not among them")
  mutating func waiting() {
    _ = fill()
    let all = scheduler.placements(in: nil, after: nil, limit: 10, nowMs: 1_000)
    #expect(all.map(\.id.rawValue) == [1, 2, 3, 4, 5])
    #expect(all.map(\.state) == [.ready, .leased, .settling, .delayed, .waiting])
    let page = scheduler.placements(in: nil, after: all[1].id, limit: 2, nowMs: 1_000)
    #expect(page.map(\.id.rawValue) == [3, 4])
  }

  @Test("The longest wait is the ready post's that waits longest; a pause, a lease and lookups do not count")
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
    #expect(scheduler.longestWaitMs(nowMs: 12_000) == 1_000, "It begins anew with the end of a pause.")
    _ = scheduler.assign(nowMs: 12_000)
    scheduler.isPaused = false
    #expect(scheduler.longestWaitMs(nowMs: 12_000) == 1_000, "There was none to be ended.")
    let session = scheduler.join(credit: 4)
    let leases = scheduler.assign(nowMs: 13_000).flatMap(\.jobs).map(\.lease)
    #expect(leases.map(\.job.rawValue).contains(4), "The suspect has the only worker.")
    #expect(scheduler.longestWaitMs(nowMs: 14_000) == 3_000)
    scheduler.release(leases, of: session)
    _ = scheduler.assign(nowMs: 15_000)
    #expect(scheduler.longestWaitMs(nowMs: 16_000) == 5_000)
  }

  @Test("A worker is shown with its credit, its leases, what it was sent and answered, and when it spoke last")
  mutating func workers() {
    let session = fill()
    let isKnown = scheduler.recordActivity(session, nowMs: 2_000)
    #expect(isKnown)
    scheduler.count(answers: 30, failures: 2, of: session)
    scheduler.count(answers: 1, failures: 1, of: 404)
    scheduler.grant(10, to: session)
    let workers = scheduler.snapshot(nowMs: 5_000).workers
    #expect(workers.map(\.name) == ["tokyo", "osaka"])
    #expect(
      workers.first
        == .init(
          session: session, name: "tokyo", credit: 6, leases: 1, jobsSent: 4,
          answered: .init(total: 30, perSecond: 10), failed: 2, heardAgoMs: 3_000, isRemote: false))
    #expect(workers.last?.isRemote == true && workers.last?.heardAgoMs == 5_000)
  }

  @Test("An operator sees where each post is: with which worker, and for how long")
  mutating func placement() {
    _ = fill()
    let placements = (1...5).map { scheduler.placement(of: .numbered($0), nowMs: 1_000) }
    #expect(
      placements == [
        QueuePlacement(id: .numbered(1), state: .ready),
        QueuePlacement(id: .numbered(2), state: .leased, worker: "tokyo", leftMs: Limits.leaseMs - 1_000),
        QueuePlacement(id: .numbered(3), state: .settling),
        QueuePlacement(id: .numbered(4), state: .delayed, leftMs: 8_000),
        QueuePlacement(id: .numbered(5), state: .waiting),
      ])
    #expect(scheduler.placement(of: .numbered(6), nowMs: 0) == nil)
    for (number, state) in zip(UInt64(1)..., QueueState.listed.dropLast()) {
      let found = scheduler.placements(in: state, after: nil, limit: 9, nowMs: 1_000)
      #expect(found.map(\.id) == [.numbered(number)], "\(state)")
    }
    #expect(scheduler.placements(in: .dead, after: nil, limit: 9, nowMs: 0).isEmpty)
  }

  @Test("Pages by rising id meet each post once, whatever the page's length", arguments: [1, 7, 99, 100, 101, 1_000])
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

  @Test("Paused, nothing goes out, results are taken as ever, and what comes in or back waits until it goes on")
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
    #expect(scheduler.nextDueMs == .max, "Nothing is due while nothing may go out.")
    scheduler.isPaused = false
    #expect(Set(scheduler.sent(nowMs: 200)[session]?.map(\.job) ?? []).count == 4)
  }

  @Test("A worker that is lost in a pause is found, and its jobs wait")
  mutating func lostInPause() {
    _ = scheduler.join(credit: 64)
    scheduler.add([Job.post(1)])
    #expect(scheduler.sent().count == 1)
    scheduler.isPaused = true
    scheduler.beat(from: 0, through: 6_000)
    #expect(scheduler.expire(nowMs: 6_001).losses.requeued == [JobID(rawValue: 1)])
    _ = scheduler.join(instance: 2, credit: 64, nowMs: 6_001)
    #expect(scheduler.sent(nowMs: 6_001).isEmpty)
    #expect(scheduler.snapshot(nowMs: 6_001).ready == 1)
  }

  @Test("A permit for a remote provider waits until the queue is resumed, and wakes no one before")
  mutating func remoteInPause() {
    guard
      let opened = scheduler.open(
        worker: "w", instance: Array(repeating: 1, count: 16), held: [], remoteIntervalMs: 0, nowMs: 0)
    else { preconditionFailure("There is room for a test's session.") }
    scheduler.grant(64, to: opened.session)
    scheduler.add([Job.post(1)])
    for lease in scheduler.sent()[opened.session] ?? [] {
      _ = scheduler.evaluate(JobResult(lease: lease, reply: .needsRemote([])))
    }
    #expect(scheduler.snapshot(nowMs: 0).waiting == 1)
    #expect(scheduler.nextDueMs < .max)
    scheduler.isPaused = true
    #expect(scheduler.nextDueMs == .max)
    #expect(scheduler.sent(nowMs: 5_000).isEmpty)
    scheduler.isPaused = false
    #expect(scheduler.sent(nowMs: 5_000)[opened.session]?.count == 1)
  }
}
