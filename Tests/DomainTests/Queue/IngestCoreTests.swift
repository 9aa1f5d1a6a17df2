import Fuzzing
import Testing

@testable import Domain

@Suite("Ingest core")
struct IngestCoreTests {
  /// An ingest core with one connected worker.
  private final class CoreHarness {
    static let peer: IngestCore.Peer = [1]
    var core = IngestCore(generation: 1, startMs: 0)
    private(set) var session: UInt64 = 0
    private var random = SeededRandom(seed: 1)

    init() { session = join(CoreHarness.peer, instance: 1) }

    func join(_ peer: IngestCore.Peer, instance: UInt8, nowMs: Int64 = 0) -> UInt64 {
      _ = core.receive(
        IngestCore.Hello(
          worker: "w\(instance)", address: "", instance: [instance], held: [], remoteIntervalMs: nil),
        from: peer, nowMs: nowMs)
      let session = core.sessions[peer] ?? 0
      _ = receive(.credit(jobLimit: 64), session: session, from: peer, nowMs: nowMs)
      return session
    }

    func receive(
      _ message: IngestCore.Message, session: UInt64? = nil, from peer: IngestCore.Peer = CoreHarness.peer,
      nowMs: Int64 = 0
    ) -> [IngestCore.Effect] {
      core.receive(message, session: session ?? self.session, from: peer, nowMs: nowMs)
    }

    /// Queues a job and assigns it. Returns the lease of the worker.
    func lease(_ job: Job, nowMs: Int64 = 0) throws -> Lease {
      if job.id.isLookup { core.enqueueLookup(job) } else { _ = core.committed(.accepted([job]), nowMs: nowMs) }
      let leases = core.assign(nowMs: nowMs).flatMap(\.jobs).map(\.lease)
      return try #require(leases.first)
    }

    func sendResult(_ lease: Lease, _ outcome: JobOutcome, nowMs: Int64 = 0) -> [IngestCore.Effect] {
      receive(.results([(lease, .outcome(outcome))]), nowMs: nowMs) + tick(nowMs: nowMs)
    }

    func tick(nowMs: Int64 = 0) -> [IngestCore.Effect] { core.tick(nowMs: nowMs, using: &random) }

    func committed(_ write: IngestCore.Write, _ result: SettlementResult?, nowMs: Int64 = 0) -> [IngestCore.Effect] {
      core.committed(.written(write, result), nowMs: nowMs) + tick(nowMs: nowMs)
    }
  }

  @Test("A result is acknowledged only after the commit, which also removes its job")
  func commit() throws {
    let harness = CoreHarness()
    let lease = try harness.lease(.post(1))
    let effects = harness.sendResult(lease, .found)
    #expect(effects.acks.isEmpty && harness.core.scheduler.depth == 1)
    let write = try #require(effects.writes.first)
    #expect(write.records.map(\.post) == [try #require(lease.job.post)])
    #expect(harness.sendResult(lease, .found).acks.isEmpty, "The first copy of the result is still being written.")
    let after = harness.committed(write, SettlementResult())
    #expect(after.acks == [.committed] && harness.core.scheduler.depth == 0)
    #expect(after.left.count == 1)
    #expect(harness.sendResult(lease, .found).acks == [.duplicate])
  }

  @Test("A refused write asks the worker to retry its result later, and delays the job")
  func refused() throws {
    let harness = CoreHarness()
    let lease = try harness.lease(.post(1, attempts: 3))
    let write = try #require(harness.sendResult(lease, .found).writes.first)
    #expect(harness.committed(write, nil, nowMs: 10).acks == [.retryLater])
    #expect(harness.core.assign(nowMs: 10 + Limits.storeRetryPauseMs - 1).isEmpty)
    let again = harness.core.assign(nowMs: 10 + Limits.storeRetryPauseMs).flatMap(\.jobs)
    #expect(again.map(\.job.attempts) == [3] && again.first?.lease.job == lease.job)
  }

  @Test("A failure is stored with the number of attempts, and the job is sent again with that number")
  func retry() throws {
    let harness = CoreHarness()
    let lease = try harness.lease(.post(1))
    let write = try #require(harness.sendResult(lease, .failure).writes.first)
    guard case .retry(1, let pauseMs, let reason) = write.records[0].settlement else {
      Issue.record("\(write)")
      return
    }
    #expect(reason?.code == "down")
    let after = harness.committed(write, SettlementResult())
    #expect(after.acks == [.committed] && after.left.isEmpty)
    #expect(harness.core.assign(nowMs: pauseMs).flatMap(\.jobs).map(\.job.attempts) == [1])
  }

  @Test("A retry of a deleted post ends its job")
  func deleted() throws {
    let harness = CoreHarness()
    let lease = try harness.lease(.post(1))
    let write = try #require(harness.sendResult(lease, .failure).writes.first)
    var stored = SettlementResult()
    stored.notQueued = [try #require(lease.job.post)]
    let after = harness.committed(write, stored)
    #expect(after.left.count == 1 && harness.core.scheduler.depth == 0)
  }

  @Test("A job that was not started is acknowledged without a write, and sent again later")
  func notStarted() throws {
    let harness = CoreHarness()
    let lease = try harness.lease(.post(1))
    let effects = harness.sendResult(lease, .failure(.notStarted))
    #expect(effects.writes.isEmpty && effects.acks == [.committed])
    #expect(harness.core.assign(nowMs: Limits.notStartedPauseMs - 1).isEmpty)
    #expect(harness.core.assign(nowMs: Limits.notStartedPauseMs).count == 1)
  }

  @Test("A lookup's result needs no write and ends the lookup in the same tick")
  func lookup() throws {
    let harness = CoreHarness()
    let lease = try harness.lease(.lookup(1))
    let effects = harness.sendResult(lease, .found)
    #expect(effects.writes.isEmpty && effects.acks == [.committed] && harness.core.scheduler.depth == 0)
    guard
      case .lookupEnded(lease.job, .found)? = effects.first(where: {
        if case .lookupEnded = $0 { true } else { false }
      })
    else {
      Issue.record("\(effects)")
      return
    }
  }

  @Test("Ingest refuses a late failure as stale")
  func stale() throws {
    let harness = CoreHarness()
    let first = try harness.lease(.post(1))
    _ = harness.receive(.release([first], isGoodbye: false))
    let second = try #require(harness.core.assign(nowMs: 0).flatMap(\.jobs).first?.lease)
    let effects = harness.sendResult(first, .failure)
    #expect(effects.acks == [.stale] && effects.writes.isEmpty)
    #expect(harness.sendResult(second, .failure).writes.count == 1)
  }

  @Test("A silent worker's posts count as lost and are requeued, and its lookups fail")
  func lost() throws {
    let harness = CoreHarness()
    let post = try harness.lease(.post(1))
    let lookup = try harness.lease(.lookup(2))
    // Tick every second. After a gap of more than 4 s, ingest assumes that it was suspended itself.
    var effects: [IngestCore.Effect] = []
    for nowMs in stride(from: Limits.heartbeatMs, through: Limits.livenessMs + Limits.heartbeatMs, by: 1_000) {
      effects += harness.tick(nowMs: nowMs)
    }
    guard case .countLosses(let losses)? = effects.writes.first else {
      Issue.record("\(effects)")
      return
    }
    #expect(losses.requeued == [post.job] && losses.dead.isEmpty)
    #expect(effects.contains { if case .lookupEnded(lookup.job, .failed) = $0 { true } else { false } })
    #expect(effects.contains { if case .log(.workerLost) = $0 { true } else { false } })
    #expect(harness.core.sessions.isEmpty)
  }

  @Test("The third lost lease makes a post dead after the commit")
  func deadLetter() throws {
    let harness = CoreHarness()
    let lease = try harness.lease(.post(1, leaseLosses: Limits.leaseLossesMax - 1))
    var write: IngestCore.Write?
    for nowMs in stride(from: Limits.heartbeatMs, through: Limits.livenessMs + Limits.heartbeatMs, by: 1_000) {
      write = write ?? harness.tick(nowMs: nowMs).writes.first
    }
    let losses = try #require(write)
    #expect(losses.records.map(\.settlement).first == .leaseLost && losses.records.count == 2)
    #expect(harness.core.scheduler.depth == 1)
    let after = harness.committed(losses, SettlementResult(), nowMs: Limits.livenessMs + Limits.heartbeatMs)
    #expect(after.left == [try #require(lease.job.post)] && harness.core.scheduler.depth == 0)
  }

  @Test("A message with a session other than the connection's gets RESET")
  func reset() {
    let harness = CoreHarness()
    let effects = harness.receive(.credit(jobLimit: 9), session: harness.session + 1)
    #expect(effects.resets == [.unknownSession])
  }

  @Test("The same worker on a new connection replaces its old session")
  func replaced() {
    let harness = CoreHarness()
    let effects = harness.core.receive(
      IngestCore.Hello(worker: "w1", address: "", instance: [1], held: [], remoteIntervalMs: nil), from: [2], nowMs: 0)
    #expect(effects.resets == [.replaced] && harness.core.sessions.keys.map(\.self) == [[2]])
  }

  @Test("A worker's goodbye returns its jobs without a loss, and ingest replies")
  func goodbye() throws {
    let harness = CoreHarness()
    let lease = try harness.lease(.post(1))
    let effects = harness.receive(.release([lease], isGoodbye: true))
    #expect(effects.resets == [.goodbye] && effects.writes.isEmpty && harness.core.sessions.isEmpty)
    _ = harness.join([2], instance: 2)
    #expect(harness.core.assign(nowMs: 0).flatMap(\.jobs).map(\.job.leaseLosses) == [0])
  }

  @Test("A paused queue sends no jobs and accepts results")
  func paused() throws {
    let harness = CoreHarness()
    let lease = try harness.lease(.post(1))
    _ = harness.core.committed(.paused(true), nowMs: 0)
    _ = harness.core.committed(.accepted([.post(2)]), nowMs: 0)
    #expect(harness.core.assign(nowMs: 0).isEmpty)
    #expect(harness.sendResult(lease, .found).writes.count == 1)
    _ = harness.core.committed(.paused(false), nowMs: 0)
    #expect(harness.core.assign(nowMs: 0).flatMap(\.jobs).map(\.job.id) == [JobID(rawValue: 2)])
  }

  @Test("Jobs that could not be sent go to another worker immediately")
  func sendFailed() throws {
    let harness = CoreHarness()
    let other = harness.join([2], instance: 2)
    _ = harness.core.committed(.accepted([.post(1)]), nowMs: 0)
    guard case .send(.jobs(let jobs), let first, _)? = harness.core.assign(nowMs: 0).first else {
      Issue.record("no job is sent")
      return
    }
    harness.core.sendFailed(jobs, to: first)
    guard case .send(.jobs(let again), let second, _)? = harness.core.assign(nowMs: 0).first else {
      Issue.record("the job is not sent to another worker")
      return
    }
    #expect(Set([first, second]) == [harness.session, other] && again.map(\.job) == jobs.map(\.job))
  }

  @Test("List changes are published once, in commit order")
  func order() throws {
    let harness = CoreHarness()
    let write = try #require(harness.sendResult(try harness.lease(.post(1)), .found).writes.first)
    var stored = SettlementResult()
    stored.entries = [.sample(id: 7, seq: 7)]
    let published = [
      harness.core.committed(.changed([.upsert(.sample(id: 6, seq: 6))]), nowMs: 0),
      harness.core.committed(.changed([.upsert(.sample(id: 7, seq: 7))]), nowMs: 0), harness.committed(write, stored),
      harness.core.committed(.changed([.upsert(.sample(id: 8, seq: 8))]), nowMs: 0),
    ].flatMap(\.published)
    #expect(published.map(\.seq) == [6, 7, 8])
  }
}

extension IngestCore.Effect {
  fileprivate var jobs: [JobScheduler.Assignment] {
    if case .send(.jobs(let jobs), _, _) = self { jobs } else { [] }
  }
}

extension [IngestCore.Effect] {
  fileprivate var acks: [Disposition] {
    flatMap { effect -> [Disposition] in
      if case .send(.acks(let acks), _, _) = effect { acks.map(\.disposition) } else { [] }
    }
  }

  fileprivate var writes: [IngestCore.Write] {
    compactMap { if case .store(let write) = $0 { write } else { nil } }
  }

  fileprivate var published: [FeedChange] {
    flatMap { effect -> [FeedChange] in if case .publish(let changes) = effect { changes } else { [] } }
  }

  fileprivate var left: [PostID] {
    flatMap { effect -> [PostID] in if case .leftQueue(let posts) = effect { posts } else { [] } }
  }

  fileprivate var resets: [MessageToWorker.ResetReason] {
    compactMap { if case .send(.reset(let reason), _, _) = $0 { reason } else { nil } }
  }
}
