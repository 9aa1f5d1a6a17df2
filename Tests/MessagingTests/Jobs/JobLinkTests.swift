import Dispatch
import Synchronization
import Testing

@testable import Domain
@testable import Messaging

@Suite("Job link", .serialized)
struct JobLinkTests {
  private let ledger = Ledger()

  @Test("One worker settles a thousand jobs once each")
  func thousand() async throws {
    let server = try TestServer(ledger)
    defer { server.reactor.stop() }
    server.add((1...1_000).map { .post($0) }, to: ledger)
    let worker = try TestWorker(server.endpoint)
    defer { worker.reactor.stop() }
    try await eventually("all jobs are settled") { ledger.unsettled.isEmpty }
    #expect(ledger.settledCount == 1_000)
    #expect(ledger.settlementsMax == 1)
    #expect(worker.replies.value == 1_000)
    #expect(ledger.losses.isEmpty)
  }

  @Test("The job link works over IPC")
  func path() async throws {
    let server = try TestServer(ledger, bind: Endpoint("ipc://@onthemap-test-\(UInt64.random(in: 0...UInt64.max))"))
    defer { server.reactor.stop() }
    server.add((1...50).map { .post($0) }, to: ledger)
    let worker = try TestWorker(server.endpoint)
    defer { worker.reactor.stop() }
    try await eventually("all jobs are settled") { ledger.settledCount == 50 }
  }

  @Test("Several workers share the jobs")
  func share() async throws {
    let log = LineLog()
    let server = try TestServer(ledger, logger: log.logger)
    defer { server.reactor.stop() }
    let workers = try (1...3).map { try TestWorker(server.endpoint, instance: UInt8($0)) }
    defer { for worker in workers { worker.reactor.stop() } }
    try await eventually("all workers are connected") { log.lines(with: "worker connected").count >= 3 }
    for batch: UInt64 in 0..<40 {
      server.add((1...50).map { .post(batch * 50 + $0) }, to: ledger)
      try await eventually("the batch is settled") { ledger.unsettled.isEmpty }
    }
    #expect(ledger.settlementsMax == 1)
    #expect(workers.allSatisfy { $0.replies.value > 100 }, "\(workers.map(\.replies.value))")
  }

  @Test("A worker may start before ingest, and gets the query as typed")
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
    try await eventually("the job is settled") { ledger.settledCount == 1 }
    #expect(queries.withLock { $0 } == ["São Tomé, 京"])
  }

  @Test("A stopped worker hands its jobs over to a new worker without a loss")
  func handover() async throws {
    let server = try TestServer(ledger)
    defer { server.reactor.stop() }
    server.add((1...20_000).map { .post($0) }, to: ledger)
    let (started, unsignalled) = (Counter(), DispatchSemaphore(value: 0))
    let first = try TestWorker(server.endpoint, instance: 1) { _ in
      started.add()
      // From here on all jobs would take three minutes, so the test stops the worker in the middle.
      if started.value > 200 { _ = unsignalled.wait(timeout: .now() + .milliseconds(10)) }
      return .located([.sample()])
    }
    try await eventually("the first worker has settled 100 jobs") { ledger.settledCount > 100 }
    first.reactor.stop()
    let remaining = ledger.unsettled.count
    #expect(remaining > 0, "The first worker stopped only after its last job.")
    let second = try TestWorker(server.endpoint, instance: 2)
    defer { second.reactor.stop() }
    try await eventually("all jobs are settled") { ledger.unsettled.isEmpty }
    #expect(ledger.settledCount == 20_000)
    #expect(ledger.settlementsMax == 1)
    #expect(ledger.losses.isEmpty)
  }

  @Test("Each job is settled once despite restarts of ingest on the same port")
  func restart() async throws {
    var server = try TestServer(ledger)
    let endpoint = server.endpoint
    let worker = try TestWorker(endpoint)
    defer { worker.reactor.stop() }
    server.add((1...5_000).map { .post($0) }, to: ledger)
    for generation: UInt32 in 2...4 {
      let before = ledger.settledCount
      try await eventually("some jobs are settled") { ledger.settledCount > before + 20 || ledger.unsettled.isEmpty }
      server.reactor.stop()
      server = try TestServer(ledger, bind: endpoint, generation: generation)
      let number = UInt64(generation) * 10_000
      server.add(ledger.unsettled.map { .post($0.rawValue) } + (1...1_000).map { .post(number + $0) }, to: ledger)
    }
    defer { server.reactor.stop() }
    try await eventually("all jobs are settled") { ledger.unsettled.isEmpty }
    #expect(ledger.settledCount == 8_000)
    #expect(ledger.settlementsMax == 1)
  }

  @Test("A job is retried after a failure, and its result is resent after a full disk")
  func again() async throws {
    let server = try TestServer(ledger)
    defer { server.reactor.stop() }
    ledger.setFull(true)
    let attempts = Counter()
    let worker = try TestWorker(server.endpoint) { _ in
      attempts.add()
      return attempts.value < 4 ? .failed(.init(kind: .transient, code: "down", detail: "try again")) : .notFound
    }
    defer { worker.reactor.stop() }
    server.add([.post(1)], to: ledger)
    try await eventually("the worker has made two attempts while the disk is full") { worker.replies.value >= 2 }
    #expect(ledger.settledCount == 0)
    ledger.setFull(false)
    try await eventually("the job is settled after its last failure") { ledger.settledCount == 1 }
    #expect(worker.replies.value >= 4)
  }

  @Test("A lookup overtakes the backlog, and a job restored after a restart waits for its time")
  func order() async throws {
    // Read the time before the server starts, because a tick may have an earlier time than a command that it drains.
    let startMs = Reactor.nowMs
    let server = try TestServer(ledger)
    defer { server.reactor.stop() }
    let order = Mutex<[(id: JobID, atMs: Int64)]>([])
    server.add((1...30).map { .post($0) }, to: ledger)
    ledger.accept([.post(900)])
    server.commands.enqueue(.resume([(.post(900), 300)], unixMs: 0))
    let lookup = Job(id: JobID(lookup: 1), account: AccountID(rawValue: 0), query: "Oslo")
    server.commands.enqueue(.lookUp(lookup))
    server.commands.enqueue(.lookUp(Job(id: JobID(lookup: 2), account: lookup.account, query: "Rome")))
    server.commands.enqueue(.cancel([JobID(lookup: 2)]))
    let worker = try TestWorker(server.endpoint) { job in
      order.withLock { $0.append((job.id, Reactor.nowMs)) }
      return .notFound
    }
    defer { worker.reactor.stop() }
    try await eventually("all jobs are settled") { ledger.unsettled.isEmpty }
    let received = order.withLock { $0 }
    #expect(received.first?.id == lookup.id)
    let resumed = try #require(received.first { $0.id == JobID(rawValue: 900) })
    #expect(resumed.atMs >= startMs + 300)
    #expect(received.count == 32, "The worker never got the cancelled lookup.")
  }

  @Test("Results that exceed one frame together arrive in several frames")
  func largeResults() async throws {
    let server = try TestServer(ledger)
    defer { server.reactor.stop() }
    let label = String(repeating: "x", count: 500)
    let worker = try TestWorker(server.endpoint) { _ in .located((0..<20).map { _ in .sample(label: label) }) }
    defer { worker.reactor.stop() }
    server.add((1...64).map { .post($0) }, to: ledger)
    try await eventually("all jobs are settled") { ledger.unsettled.isEmpty }
    #expect(worker.replies.value == 64, "The worker gets each job once, because ingest refuses no frame.")
  }

  @Test("Unacknowledged results of a full outbox arrive after a restart of ingest")
  func fullOutbox() async throws {
    let first = try TestServer(ledger, settles: false)
    let endpoint = first.endpoint
    let worker = try TestWorker(endpoint)
    defer { worker.reactor.stop() }
    first.add((1...2_000).map { .post($0) }, to: ledger)
    try await eventually("the worker's outbox is full") { worker.replies.value >= Limits.outboxMax - Limits.windowMax }
    first.reactor.stop()
    let server = try TestServer(ledger, bind: endpoint, generation: 2)
    defer { server.reactor.stop() }
    server.add((1...2_000).map { .post($0) }, to: ledger)
    try await eventually("all jobs are settled") { ledger.unsettled.isEmpty }
    #expect(ledger.settlementsMax == 1)
  }
}
