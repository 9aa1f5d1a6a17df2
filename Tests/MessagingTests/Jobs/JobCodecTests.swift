import Fuzzing
import SwiftProtobuf
import Testing

@testable import Domain
@testable import Messaging

@Suite("Job codec")
struct JobCodecTests {
  /// Requires that the codec decodes bytes as the generated code does.
  static func requireSameReading(of bytes: [UInt8]) throws {
    let worker = WorkerFrame([bytes][...])
    switch WorkerMessage([bytes][...]) {
    case .results(let session, let results)?:
      let wire = try #require(worker, "\(bytes)")
      try #require((wire.session, wire.major) == (session, Protocol.major), "\(bytes)")
      try #require(wire.results.results.map(\.result?.reply) == results.map(\.reply), "\(bytes)")
      try #require(wire.results.results.map(\.jobID) == results.map(\.lease.job.rawValue), "\(bytes)")
      try #require(wire.results.results.map(\.leaseToken) == results.map(\.lease.token), "\(bytes)")
    case .other(let frame)?: try #require(worker == frame, "\(bytes)")
    case nil: try #require(worker == nil, "\(bytes)")
    }
    let ingest = IngestFrame([bytes])
    switch IngestMessage([bytes]) {
    case .jobs(let session, let jobs)?:
      let wire = try #require(ingest, "\(bytes)")
      try #require(wire.session == session && wire.jobs.jobs.map(\.job) == jobs.map(\.job), "\(bytes)")
      try #require(wire.jobs.jobs.map(\.leaseToken) == jobs.map(\.lease.token), "\(bytes)")
    case .acks(let session, let acks)?:
      let wire = try #require(ingest, "\(bytes)")
      try #require(wire.session == session && wire.acks.acks.map(\.leaseToken) == acks.map(\.lease.token), "\(bytes)")
      try #require(wire.acks.acks.map(\.jobID) == acks.map(\.lease.job.rawValue), "\(bytes)")
      for (wire, ack) in zip(wire.acks.acks, acks) {
        let known = [1, 2, 3].contains(wire.disposition.rawValue)
        try #require(ack.disposition == (known ? Disposition(rawValue: UInt8(wire.disposition.rawValue)) : .retryLater))
      }
    case .other(let frame)?: try #require(ingest == frame, "\(bytes)")
    case nil: try #require(ingest == nil, "\(bytes)")
    }
  }

  @Test("The job codec encodes and decodes exactly as the generated code")
  func sameAsGenerated() throws {
    for seed in 0..<300 as Range<UInt64> {
      var random = SeededRandom(seed: seed)
      let session = random.number() | 1
      let jobs = (0..<random.below(70)).map { _ in random.assignment() }
      let wireJobs = Onthemap_Jobs_V1_Jobs.with { $0.jobs = jobs.map(Onthemap_Jobs_V1_Job.init) }
      let results = (0..<random.below(40)).map { _ in random.result() }
      let wireResults = Onthemap_Jobs_V1_Results.with { $0.results = results.map(Onthemap_Jobs_V1_Result.init) }
      let acks = (0..<random.below(200)).map { _ in (random.lease(), random.one(of: JobCodecTests.dispositions)) }
      let wireAcks = Onthemap_Jobs_V1_ResultAcks.with {
        $0.acks = acks.map { lease, disposition in
          .with {
            ($0.jobID, $0.leaseToken) = (lease.job.rawValue, lease.token)
            $0.disposition = .init(rawValue: Int(disposition.rawValue)) ?? .unspecified
          }
        }
      }
      let frames: [([UInt8], [UInt8])] = [
        (JobCodec.jobs(jobs, session: session), IngestFrame(session: session, .jobs(wireJobs)).bytes),
        (JobCodec.acks(acks, session: session), IngestFrame(session: session, .acks(wireAcks)).bytes),
        (
          JobCodec.results(results, session: session).first ?? [],
          results.isEmpty ? [] : WorkerFrame(session: session, .results(wireResults)).bytes
        ),
      ]
      for (written, generated) in frames {
        try #require(written == generated, "seed \(seed)")
        try Self.requireSameReading(of: written)
      }
    }
  }

  @Test("The job codec decodes common frames itself")
  func short() {
    let job = Job(id: JobID(rawValue: 3), account: AccountID(rawValue: 0), query: "São Paulo")
    let lease = Lease(job: job.id, token: 9)
    let place = JobResult(
      lease: lease, outcome: .located([.sample(), .sample(label: String(repeating: "é", count: 90))]))
    let results = JobCodec.results([place, JobResult(lease: lease, outcome: .notFound)], session: 5)
    #expect(WorkerMessage(fieldByField: results[0]) != nil)
    #expect(IngestMessage(fieldByField: JobCodec.jobs([.init(job: job, lease: lease)], session: 5)) != nil)
    #expect(IngestMessage(fieldByField: JobCodec.acks([(lease, .stale)], session: 5)) != nil)
  }

  @Test("A length prefix has the minimum number of bytes", arguments: [0, 1, 127, 128, 16_383, 16_384, 65_000])
  func lengths(count: Int) {
    var writer = FieldWriter()
    writer.message(1) { $0.text(5, String(repeating: "x", count: count)) }
    let wire = Onthemap_Jobs_V1_Jobs.with { $0.jobs = [.with { $0.query = String(repeating: "x", count: count) }] }
    #expect(writer.bytes == wire.bytes)
  }

  private static let dispositions = [Disposition.committed, .duplicate, .stale, .retryLater]
}

extension SeededRandom {
  /// Returns a random number of a random length in bits.
  fileprivate mutating func number() -> UInt64 { next() >> UInt64(below(64)) }

  fileprivate mutating func lease() -> Lease { Lease(job: JobID(rawValue: number()), token: number()) }

  fileprivate mutating func text() -> String {
    String((0..<below(60)).map { _ in one(of: Array("aZ 0,é漢🌍")) })
  }

  fileprivate mutating func assignment() -> JobScheduler.Assignment {
    let lease = lease()
    let account = AccountID(rawValue: 1)
    guard happens(80) else {
      let query = PlaceQuery(text(), kind: .autocomplete, limit: 5, country: "US", isDetailed: true)
      return .init(job: Job(id: lease.job, account: account, request: .lookup(query)), lease: lease)
    }
    var job = Job(id: lease.job, account: account, query: text(), attempts: below(9))
    job.isRemote = happens(20)
    if happens(30) { job.trace = TraceContext("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01") }
    return .init(job: job, lease: lease)
  }

  fileprivate mutating func result() -> JobResult {
    let lease = lease()
    switch below(10) {
    case 0: return JobResult(lease: lease, outcome: .notFound)
    case 1:
      let failure = JobOutcome.Failure(kind: .transient, code: "c", detail: text(), retryAfterMs: Int64(below(100_000)))
      return JobResult(lease: lease, outcome: .failed(failure))
    case 2: return JobResult(lease: lease, reply: .needsRemote([place()]))
    case 3: return JobResult(lease: lease, outcome: .located([]))
    default: return JobResult(lease: lease, outcome: .located((0...below(4)).map { _ in place() }))
    }
  }

  private mutating func place() -> Place {
    var place = Place(
      coordinate: .e7(.random(in: -900_000_000...900_000_000, using: &self), one(of: [0, -1, 1_800_000_000, 77])),
      level: one(of: Place.Level.allCases), match: one(of: Place.Match.allCases),
      confidence: Double(below(1_001)) / 1_000, label: text(), name: text(), region: text(), country: text(),
      countryCode: one(of: ["", "US", "DE"]))
    if happens(10) { place.detail = .init() }
    return place
  }
}
