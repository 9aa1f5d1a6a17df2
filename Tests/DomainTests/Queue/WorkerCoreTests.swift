import Testing

@testable import Domain

@Suite("Worker core")
struct WorkerCoreTests {
  private var core = WorkerCore(concurrency: 4, nowMs: 0)
  private let lease = Lease(job: JobID(rawValue: 1), token: 7)

  private mutating func join(_ session: UInt64 = 1, nowMs: Int64 = 0) -> [WorkerCore.Effect] {
    let message = WorkerCore.Message.welcome(
      heartbeatMs: Limits.heartbeatMs, livenessMs: Limits.livenessMs)
    return core.receive(message, session: session, nowMs: nowMs)
  }

  /// The messages among the effects, with their sessions.
  private func sent(_ effects: [WorkerCore.Effect]) -> [(message: WorkerSession.Message, session: UInt64)] {
    effects.compactMap { if case .send(let message, let session) = $0 { (message, session) } else { nil } }
  }

  private func hasLeft(_ effects: [WorkerCore.Effect]) -> Bool {
    effects.contains { if case .left = $0 { true } else { false } }
  }

  private func reconnects(_ effects: [WorkerCore.Effect]) -> Bool {
    effects.contains { if case .reconnect = $0 { true } else { false } }
  }

  @Test("The worker repeats HELLO until WELCOME, then grants credit under the new session")
  mutating func joins() {
    #expect(sent(core.tick(nowMs: 0)).map(\.message) == [.hello(held: [])])
    #expect(sent(core.tick(nowMs: 500)).isEmpty)
    core.helloFailed()
    #expect(sent(core.tick(nowMs: 600)).map(\.message) == [.hello(held: [])])
    let messages = sent(join(nowMs: 700))
    #expect(messages.map(\.message) == [.credit(jobLimit: 8)] && messages.map(\.session) == [1])
  }

  @Test("The worker ignores jobs, acknowledgements and RESET of another session")
  mutating func otherSession() {
    _ = join()
    #expect(core.receive([lease], session: 2, nowMs: 1) == nil)
    #expect(core.receive([lease], session: 1, nowMs: 1) == [lease])
    _ = core.report([JobResult(lease: lease, reply: .outcome(.notFound))], nowMs: 2)
    _ = core.receive(.acks([(lease, .committed)]), session: 2, nowMs: 3)
    _ = core.receive(.reset, session: 2, nowMs: 3)
    #expect(core.session.unacknowledged == 1 && core.session.session == 1)
    _ = core.receive(.acks([(lease, .committed)]), session: 1, nowMs: 4)
    #expect(core.session.unacknowledged == 0)
  }

  @Test("The worker reports a session's end once, and sends HELLO in the same tick")
  mutating func reset() {
    _ = join()
    _ = core.receive(.reset, session: 1, nowMs: 5)
    let effects = core.tick(nowMs: 5)
    #expect(hasLeft(effects) && sent(effects).map(\.message) == [.hello(held: [])])
    #expect(!hasLeft(core.tick(nowMs: 6)))
  }

  @Test("The worker reconnects when its session's heartbeats stop for the liveness timeout")
  mutating func silence() {
    _ = join()
    _ = core.receive(.heartbeat, session: 1, nowMs: 1_000)
    _ = core.receive(.heartbeat, session: 2, nowMs: 2_000)
    #expect(!reconnects(core.tick(nowMs: 1_000 + Limits.livenessMs)))
    let effects = core.tick(nowMs: 1_001 + Limits.livenessMs)
    #expect(reconnects(effects) && hasLeft(effects))
    #expect(core.session.session == nil)
  }

  @Test("A refusal delays HELLO by at least a second, unless a session is open")
  mutating func refusal() {
    _ = core.receive(.refusal(retryAfterMs: 5), session: 0, nowMs: 10)
    #expect(core.nextMs(nowMs: 10) == 1_010)
    #expect(sent(core.tick(nowMs: 1_009)).isEmpty)
    #expect(sent(core.tick(nowMs: 1_010)).count == 1)
    _ = core.receive(.refusal(retryAfterMs: .max), session: 0, nowMs: 1_010)
    #expect(core.nextMs(nowMs: 1_010) == 1_010 + Limits.quarantineMs)
    _ = join(nowMs: 1_020)
    _ = core.receive(.refusal(retryAfterMs: .max), session: 0, nowMs: 1_030)
    #expect(core.nextMs(nowMs: 1_030) <= 1_030 + Limits.heartbeatMs)
  }

  @Test("A worker between two addresses sends no HELLO, and need not wait for the pause of the earlier address")
  mutating func changeover() {
    #expect(sent(core.tick(nowMs: 0)).count == 1)
    _ = core.receive(.refusal(retryAfterMs: 60_000), session: 0, nowMs: 10)
    core.pause(untilMs: 300)
    #expect(sent(core.tick(nowMs: 299)).isEmpty && core.nextMs(nowMs: 299) == 300)
    core.connected()
    #expect(sent(core.tick(nowMs: 301)).map(\.message) == [.hello(held: [])])
  }

  @Test("The worker keeps results without a session, and sends them under the next one")
  mutating func results() {
    _ = join()
    _ = core.receive([lease], session: 1, nowMs: 1)
    _ = core.receive(.reset, session: 1, nowMs: 2)
    let result = JobResult(lease: lease, reply: .outcome(.notFound))
    #expect(sent(core.report([result], nowMs: 3)).isEmpty)
    let messages = sent(join(2, nowMs: 4))
    #expect(messages.first?.message == .results([result]) && messages.first?.session == 2)
  }

  @Test("The worker's goodbye returns its unfinished jobs once")
  mutating func goodbye() {
    _ = join()
    _ = core.receive([lease], session: 1, nowMs: 1)
    #expect(sent(core.drain()).map(\.message) == [.goodbye([lease])])
    #expect(sent(core.drain()).isEmpty)
  }
}
