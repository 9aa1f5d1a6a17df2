import SwiftProtobuf
import Testing

@testable import Domain
@testable import Messaging

@Suite("A worker with several addresses")
struct JobAddressTests {
  private static func jobs(_ numbers: ClosedRange<UInt64>) -> [Job] {
    numbers.map { Job(id: JobID(rawValue: $0), account: AccountID(rawValue: 1), query: "Oslo") }
  }

  /// Resumes the unsettled jobs of a ledger at another server, as an ingest does that starts with the same store.
  private static func resume(_ ledger: Ledger, at server: TestServer) {
    let unsettled = jobs(1...100).filter { ledger.unsettled.contains($0.id) }
    server.commands.enqueue(.resume(unsettled.map { (job: $0, dueMs: 0) }, unixMs: 1))
  }

  @Test("A worker continues at the second ingest when the first falls silent, and each job is settled once")
  func silence() async throws {
    let (ledger, isMute) = (Ledger(), Shared(false))
    let first = try TestServer(ledger, isMute: isMute)
    defer { first.reactor.stop() }
    let standby = try Endpoint.lastingPort()
    // The first ingest falls silent during a job, so the results and their acknowledgements are lost.
    let worker = try TestWorker(first.endpoint, standby) { job in
      if job.id.rawValue == 51 { isMute.change { $0 = true } }
      return .located([.sample()])
    }
    defer { worker.reactor.stop() }
    first.add(Self.jobs(1...50), to: ledger)
    try await eventually("the first ingest settles its jobs") { ledger.settledCount == 50 }
    first.add(Self.jobs(51...100), to: ledger)
    try await eventually("the first ingest is silent") { isMute.value }
    let second = try TestServer(ledger, bind: standby, generation: 2)
    defer { second.reactor.stop() }
    Self.resume(ledger, at: second)
    try await eventually("the second ingest settles all jobs") { ledger.unsettled.isEmpty }
    #expect(ledger.settledCount == 100 && ledger.settlementsMax == 1)
  }

  @Test("A worker skips an address at which nothing listens, and one whose ingest does not lead")
  func unavailable() async throws {
    let answers = Counter()
    let (waiting, notLeading) = try AnsweringSocket.start(answers: answers) { _ in
      let error = Onthemap_Jobs_V1_Error.with { ($0.code, $0.retryAfterMs) = (.notLeading, 60_000) }
      return IngestFrame(session: 0, .error(error)).bytes
    }
    defer { waiting.stop() }
    let ledger = Ledger()
    let server = try TestServer(ledger)
    defer { server.reactor.stop() }
    let worker = try TestWorker(.lastingPort(), notLeading, server.endpoint)
    defer { worker.reactor.stop() }
    server.add(Self.jobs(1...5), to: ledger)
    try await eventually("the third ingest settles the jobs") { ledger.settledCount == 5 }
    #expect(answers.value > 0)
  }

  @Test("A worker refuses an ingest of an earlier start, logs it once, and joins the next start")
  func lowerGeneration() async throws {
    let (ledger, welcomes, log) = (Ledger(), Counter(), LineLog())
    var leading = try TestServer(ledger, generation: 5)
    let address = leading.endpoint
    let (earlier, earlierAddress) = try AnsweringSocket.start(answers: welcomes) { _ in
      let start = IngestStart.sample(4)
      let welcome = Onthemap_Jobs_V1_Welcome(
        heartbeatMs: Limits.heartbeatMs, livenessMs: Limits.livenessMs, frameBytesMax: 1_024, start: start)
      return IngestFrame(session: 9, .welcome(welcome)).bytes
    }
    defer { earlier.stop() }
    let worker = try TestWorker(address, earlierAddress, logger: log.logger)
    defer { worker.reactor.stop() }
    leading.add(Self.jobs(1...5), to: ledger)
    try await eventually("the leading ingest settles the jobs") { ledger.settledCount == 5 }
    leading.reactor.stop()
    try await eventually("the worker tries the earlier start twice") { welcomes.value >= 2 }
    try await eventually("the worker leaves the earlier start") {
      !log.lines(with: "address changed").filter { $0.contains("reason=lower_generation") }.isEmpty
    }
    let lines = log.lines(with: "ingest refused: a later start of ingest is known")
    #expect(lines.count == 1 && lines[0].contains("generation=4") && lines[0].contains("latest_generation=5"))
    leading = try TestServer(ledger, bind: address, generation: 6)
    defer { leading.reactor.stop() }
    leading.add(Self.jobs(6...9), to: ledger)
    try await eventually("the next start settles the jobs") { ledger.settledCount == 9 }
    #expect(log.lines(with: "session opened").allSatisfy { $0.contains("\(address)") })
  }

  @Test("A worker joins a restored ingest, whose epoch is new, although its generation is lower")
  func restored() async throws {
    let ledger = Ledger()
    let first = try TestServer(ledger, generation: 5)
    let second = try TestServer(ledger, generation: 4, epoch: 2)
    defer { second.reactor.stop() }
    let worker = try TestWorker(first.endpoint, second.endpoint)
    defer { worker.reactor.stop() }
    first.add(Self.jobs(1...5), to: ledger)
    try await eventually("the first ingest settles the jobs") { ledger.settledCount == 5 }
    first.reactor.stop()
    second.add(Self.jobs(6...9), to: ledger)
    try await eventually("the restored ingest settles the jobs") { ledger.settledCount == 9 }
  }

  @Test("A worker leaves an address whose key is not the configured one")
  func wrongKey() async throws {
    let keys = try KeyPair.random()
    let open = LiveAllowList(nil)
    let foreign = try TestServer(Ledger(), curve: CurveServer(keys: .random(), access: open))
    defer { foreign.reactor.stop() }
    let ledger = Ledger()
    let server = try TestServer(ledger, curve: CurveServer(keys: keys, access: open))
    defer { server.reactor.stop() }
    let worker = try TestWorker(
      foreign.endpoint, server.endpoint, curve: CurveClient(keys: .random(), server: keys.publicKey))
    defer { worker.reactor.stop() }
    server.add(Self.jobs(1...5), to: ledger)
    try await eventually("the ingest with the key settles the jobs") { ledger.settledCount == 5 }
  }
}
