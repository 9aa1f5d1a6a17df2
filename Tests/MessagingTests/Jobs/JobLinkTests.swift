import Dispatch
import Synchronization
import Testing

@testable import Domain
@testable import Messaging

@Suite("The job link over sockets", .serialized)
struct JobLinkTests {
  private let ledger = Ledger()

  @Test("A thousand jobs are settled once each, by one worker")
  func thousand() async throws {
    let server = try TestServer(ledger)
    defer { server.reactor.stop() }
    server.add((1...1_000).map { .post($0) }, to: ledger)
    let worker = try TestWorker(server.endpoint)
    defer { worker.reactor.stop() }
    try await eventually("all is settled") { ledger.unsettled.isEmpty }
    #expect(ledger.settledCount == 1_000)
    #expect(ledger.mostOften == 1)
    #expect(worker.answered.value == 1_000)
    #expect(ledger.losses.isEmpty)
  }

  @Test("The link works over a path as well")
  func path() async throws {
    let server = try TestServer(ledger, bind: Endpoint("ipc://@onthemap-test-\(UInt64.random(in: 0...UInt64.max))"))
    defer { server.reactor.stop() }
    server.add((1...50).map { .post($0) }, to: ledger)
    let worker = try TestWorker(server.endpoint)
    defer { worker.reactor.stop() }
    try await eventually("all is settled") { ledger.settledCount == 50 }
  }

  @Test("Several workers share the jobs")
  func share() async throws {
    let log = LineLog()
    let server = try TestServer(ledger, logger: log.logger)
    defer { server.reactor.stop() }
    let workers = try (1...3).map { try TestWorker(server.endpoint, instance: UInt8($0)) }
    defer { for worker in workers { worker.reactor.stop() } }
    try await eventually("all have joined") { log.lines(with: "worker joined").count >= 3 }
    for batch: UInt64 in 0..<40 {
      server.add((1...50).map { .post(batch * 50 + $0) }, to: ledger)
      try await eventually("a batch is settled") { ledger.unsettled.isEmpty }
    }
    #expect(ledger.mostOften == 1)
    #expect(workers.allSatisfy { $0.answered.value > 100 }, "\(workers.map(\.answered.value))")
  }

  @Test("A worker may come before ingest, and the query reaches it as it was typed")
  func workerFirst() async throws {
    let first = try TestServer(ledger)
    let endpoint = first.endpoint
    first.reactor.stop()
    let queries = Mutex<[String]>([])
    let worker = try TestWorker(endpoint) { job in
      queries.withLock { $0.append(job.query) }
      return .notFound
    }
    defer { worker.reactor.stop() }
    let server = try TestServer(ledger, bind: endpoint, generation: 2)
    defer { server.reactor.stop() }
    server.add([Job(id: JobID(rawValue: 1), account: AccountID(rawValue: 1), query: "São Tomé, 京")], to: ledger)
    try await eventually("it is settled") { ledger.settledCount == 1 }
    #expect(queries.withLock { $0 } == ["São Tomé, 京"])
  }

  @Test("A worker that is stopped hands on to a new one, and no loss is counted")
  func handover() async throws {
    let server = try TestServer(ledger)
    defer { server.reactor.stop() }
    server.add((1...20_000).map { .post($0) }, to: ledger)
    let (begun, never) = (Counter(), DispatchSemaphore(value: 0))
    let first = try TestWorker(server.endpoint, instance: 1) { _ in
      begun.add()
      // Slow from here on: all jobs would take three minutes, so the test stops the worker in the middle.
      if begun.value > 200 { _ = never.wait(timeout: .now() + .milliseconds(10)) }
      return .located([.sample()])
    }
    try await eventually("the first has begun") { ledger.settledCount > 100 }
    first.reactor.stop()
    let left = ledger.unsettled.count
    #expect(left > 0, "The first worker was not stopped in the middle.")
    let second = try TestWorker(server.endpoint, instance: 2)
    defer { second.reactor.stop() }
    try await eventually("all is settled") { ledger.unsettled.isEmpty }
    #expect(ledger.settledCount == 20_000)
    #expect(ledger.mostOften == 1)
    #expect(ledger.losses.isEmpty)
  }

  @Test("Ingest that is started again on the same port goes on: every job is settled once")
  func restart() async throws {
    var server = try TestServer(ledger)
    let endpoint = server.endpoint
    let worker = try TestWorker(endpoint)
    defer { worker.reactor.stop() }
    server.add((1...5_000).map { .post($0) }, to: ledger)
    for generation: UInt32 in 2...4 {
      let before = ledger.settledCount
      try await eventually("some are settled") { ledger.settledCount > before + 20 || ledger.unsettled.isEmpty }
      server.reactor.stop()
      server = try TestServer(ledger, bind: endpoint, generation: generation)
      let number = UInt64(generation) * 10_000
      server.add(ledger.unsettled.map { .post($0.rawValue) } + (1...1_000).map { .post(number + $0) }, to: ledger)
    }
    defer { server.reactor.stop() }
    try await eventually("all is settled") { ledger.unsettled.isEmpty }
    #expect(ledger.settledCount == 8_000)
    #expect(ledger.mostOften == 1)
  }

  @Test("A failure is tried again after its pause, and a full disk makes the worker send again")
  func again() async throws {
    let server = try TestServer(ledger)
    defer { server.reactor.stop() }
    ledger.setFull(true)
    let asked = Counter()
    let worker = try TestWorker(server.endpoint) { _ in
      asked.add()
      return asked.value < 4 ? .failed(.init(kind: .transient, code: "down", detail: "try again")) : .notFound
    }
    defer { worker.reactor.stop() }
    server.add([.post(1)], to: ledger)
    try await eventually("the full disk refuses it") { worker.answered.value >= 2 }
    #expect(ledger.settledCount == 0)
    ledger.setFull(false)
    try await eventually("it is settled when it does not fail any more") { ledger.settledCount == 1 }
    #expect(worker.answered.value >= 4)
  }

  @Test("Lookups overtake a backlog, and a job of before a restart waits for its time")
  func order() async throws {
    // Before the server starts: the time of its turn may be earlier than that of a command that it reads.
    let startMs = Reactor.nowMs
    let server = try TestServer(ledger)
    defer { server.reactor.stop() }
    let order = Mutex<[(id: JobID, atMs: Int64)]>([])
    server.add((1...30).map { .post($0) }, to: ledger)
    ledger.accept([.post(900)])
    server.inbox.enqueue(.resume([(.post(900), 300)], unixMs: 0))
    let lookup = Job(id: JobID(lookup: 1), account: AccountID(rawValue: 0), query: "Oslo")
    server.inbox.enqueue(.lookUp(lookup))
    server.inbox.enqueue(.lookUp(Job(id: JobID(lookup: 2), account: lookup.account, query: "Rome")))
    server.inbox.enqueue(.cancel([JobID(lookup: 2)]))
    let worker = try TestWorker(server.endpoint) { job in
      order.withLock { $0.append((job.id, Reactor.nowMs)) }
      return .notFound
    }
    defer { worker.reactor.stop() }
    try await eventually("all is settled") { ledger.unsettled.isEmpty }
    let seen = order.withLock { $0 }
    #expect(seen.first?.id == lookup.id)
    let resumed = try #require(seen.first { $0.id == JobID(rawValue: 900) })
    #expect(resumed.atMs >= startMs + 300)
    #expect(seen.count == 32, "The cancelled one was not worked on.")
  }

  @Test("Results that are larger than a frame together arrive nevertheless")
  func largeResults() async throws {
    let server = try TestServer(ledger)
    defer { server.reactor.stop() }
    let label = String(repeating: "x", count: 500)
    let worker = try TestWorker(server.endpoint) { _ in .located((0..<20).map { _ in .sample(label: label) }) }
    defer { worker.reactor.stop() }
    server.add((1...64).map { .post($0) }, to: ledger)
    try await eventually("all is settled") { ledger.unsettled.isEmpty }
    #expect(worker.answered.value == 64, "A frame that is refused would have brought the jobs a second time.")
  }

  @Test("A thousand results that ingest did not acknowledge arrive after its restart")
  func fullOutbox() async throws {
    let first = try TestServer(ledger, settles: false)
    let endpoint = first.endpoint
    let worker = try TestWorker(endpoint)
    defer { worker.reactor.stop() }
    first.add((1...2_000).map { .post($0) }, to: ledger)
    try await eventually("the worker's outbox is full") { worker.answered.value >= Limits.outboxMax - Limits.windowMax }
    first.reactor.stop()
    let server = try TestServer(ledger, bind: endpoint, generation: 2)
    defer { server.reactor.stop() }
    server.add((1...2_000).map { .post($0) }, to: ledger)
    try await eventually("all is settled") { ledger.unsettled.isEmpty }
    #expect(ledger.mostOften == 1)
  }
}
