import Foundation
import SwiftProtobuf
import Testing

@testable import Domain
@testable import Messaging

@Suite("Job messages")
struct JobsWireTests {
  @Test("A frame starts with the magic")
  func magic() {
    let hello = WorkerFrame(session: 0, .hello(.init())).bytes
    #expect(hello.starts(with: [0x0D, 0x4F, 0x54, 0x4D, 0x31]))
    #expect(IngestFrame(session: 0, .drain(.init())).bytes.starts(with: [0x0D, 0x4F, 0x54, 0x4D, 0x31]))
  }

  @Test("Each worker frame survives a round trip")
  func workerFrames() {
    let leases = [Lease.numbered(1), Lease(job: JobID(lookup: .max), token: .max)]
    let bodies: [WorkerFrame.OneOf_Body] = [
      .hello(
        .with {
          $0.minMajor = 1
          $0.maxMajor = 3
          $0.worker = "wörker"
          $0.instance = .init(repeating: 7, count: 16)
          $0.software = "onthemap/1.0"
          $0.held = leases.map(Onthemap_Jobs_V1_LeaseRef.init)
        }),
      .credit(.with { $0.jobLimit = .max }),
      .results(
        .with { $0.results = [JobResult(lease: leases[1], outcome: .notFound)].map(Onthemap_Jobs_V1_Result.init) }),
      .release(
        .with {
          $0.leases = leases.map(Onthemap_Jobs_V1_LeaseRef.init)
          $0.goodbye = true
        }),
      .heartbeat(
        .with {
          $0.jobLimit = 5
          $0.held = leases.map(Onthemap_Jobs_V1_LeaseRef.init)
        }),
    ]
    for body in bodies {
      let frame = WorkerFrame(session: UInt64.max - 1, body)
      let back = WorkerFrame([frame.bytes][...])
      #expect(back == frame)
      #expect(back?.session == UInt64.max - 1)
    }
    #expect(leases.map { Onthemap_Jobs_V1_LeaseRef($0).lease } == leases)
  }

  @Test("Each ingest frame survives a round trip")
  func ingestFrames() {
    let job = Job(id: JobID(rawValue: 9), account: AccountID(rawValue: 3), query: "São Paulo", attempts: 4)
    let assignment = JobScheduler.Assignment(job: job, lease: Lease(job: job.id, token: 77))
    let bodies: [IngestFrame.OneOf_Body] = [
      .welcome(
        .with {
          $0.heartbeatMs = 2_000
          $0.livenessMs = 6_000
          $0.maxMessageBytes = 65_536
          $0.maxWindow = 64
        }),
      .jobs(.with { $0.jobs = [Onthemap_Jobs_V1_Job(assignment)] }),
      .acks(
        .with {
          $0.acks = [
            .with {
              $0.jobID = 1
              $0.leaseToken = 2
              $0.disposition = .stale
            }
          ]
        }),
      .heartbeat(.with { $0.jobsSent = 12 }), .reset(.with { $0.reason = .replaced }),
      .error(.with { $0.code = .busy }), .drain(.init()),
    ]
    for body in bodies {
      let frame = IngestFrame(session: 3, body)
      #expect(IngestFrame([frame.bytes]) == frame)
    }
    let wire = Onthemap_Jobs_V1_Job(assignment)
    #expect(wire.jobID == job.id.rawValue)
    #expect(wire.leaseToken == 77)
    #expect(wire.leaseMs == 30_000)
    #expect(wire.attempt == 5, "The fifth attempt follows four failures.")
    #expect((wire.query, wire.limit, wire.country, wire.hasLookup) == ("São Paulo", 1, "", false))
  }

  @Test("Each outcome survives a round trip, with every level, match and kind")
  func outcomes() {
    var outcomes: [JobOutcome] = [.notFound, .located((0..<20).map { _ in .sample() })]
    for level in Place.Level.allCases {
      for match in Place.Match.allCases { outcomes.append(.located([.sample(level: level, match: match)])) }
    }
    for kind in [JobOutcome.Failure.Kind.transient, .permanent, .notStarted] {
      outcomes.append(.failed(.init(kind: kind, code: "c", detail: "d", retryAfterMs: 4_000_000_000)))
    }
    for outcome in outcomes {
      let result = JobResult(lease: .numbered(5), outcome: outcome)
      #expect(Onthemap_Jobs_V1_Result(result).result == result)
    }
  }

  @Test("Enumerations have the values of the protocol")
  func enumerations() {
    for level in Place.Level.allCases {
      #expect(Onthemap_Jobs_V1_Level(rawValue: Int(level.rawValue)).map { "\($0)" } == "\(level)")
    }
    for match in Place.Match.allCases {
      #expect(Onthemap_Jobs_V1_Match(rawValue: Int(match.rawValue)).map { "\($0)" } == "\(match)")
    }
    for disposition in [Disposition.committed, .duplicate, .stale, .retryLater] {
      #expect(
        Onthemap_Jobs_V1_Disposition(rawValue: Int(disposition.rawValue)).map { "\($0)" } == "\(disposition)")
    }
  }

  /// Changes that make a place invalid.
  static let forbidden: [(String, @Sendable (inout Onthemap_Jobs_V1_Place) -> Void)] = [
    ("latitude", { $0.latE7 = 900_000_001 }), ("longitude", { $0.lonE7 = -1_800_000_001 }),
    ("no level", { $0.level = .unspecified }), ("unknown level", { $0.level = .UNRECOGNIZED(8) }),
    ("level 257, which a byte truncates to 1", { $0.level = .UNRECOGNIZED(257) }),
    ("negative level", { $0.level = .UNRECOGNIZED(-1) }), ("no match", { $0.match = .unspecified }),
    ("match 258, which a byte truncates to 2", { $0.match = .UNRECOGNIZED(258) }),
    ("confidence", { $0.confidencePermille = 1_001 }), ("empty label", { $0.label = "" }),
    ("label of 513 bytes", { $0.label = String(repeating: "x", count: 513) }),
    ("label with a control character", { $0.label = "a\u{0}b" }),
    ("label that shows nothing", { $0.label = "\u{2800}" }), ("label of a lone accent", { $0.label = "\u{301}" }),
    ("label with a bidi mark", { $0.label = "a\u{202E}b" }), ("name with a control character", { $0.name = "a\nb" }),
    ("long region", { $0.region = String(repeating: "x", count: 513) }),
    ("country with a hidden character", { $0.country = "a\u{200B}" }), ("country code", { $0.countryCode = "USA" }),
    ("lower case country code", { $0.countryCode = "no" }), ("country code of one letter", { $0.countryCode = "N" }),
    ("country code with a digit", { $0.countryCode = "N0" }),
    ("country code of one wide letter", { $0.countryCode = "Ø" }),
    ("country code of control characters", { $0.countryCode = "\u{1}\u{2}" }),
  ]

  @Test("A result with an invalid place is refused", arguments: forbidden.indices)
  func forbiddenField(index: Int) {
    var wire = Onthemap_Jobs_V1_Result(JobResult(lease: .numbered(1), outcome: .located([.sample(), .sample()])))
    #expect(wire.result != nil)
    Self.forbidden[index].1(&wire.located.places[1])
    #expect(wire.result == nil, "\(Self.forbidden[index].0)")
  }

  @Test(
    "A label may have joiners, soft hyphens and selectors where its script needs them",
    arguments: ["علی\u{200C}آباد, Iran", "ශ\u{DCA}\u{200D}රී", "Neu\u{AD}stadt", "葛\u{E0100}飾区", "❤\u{FE0F} Oslo"])
  func joiners(label: String) {
    var place = Place.sample()
    place.label = label
    let result = JobResult(lease: .numbered(1), outcome: .located([place]))
    #expect(Onthemap_Jobs_V1_Result(result).result == result)
  }

  @Test("A result without outcome or places is refused, and only the first 20 places count")
  func counts() {
    #expect(Onthemap_Jobs_V1_Result.with { $0.jobID = 1 }.result == nil)
    #expect(Onthemap_Jobs_V1_Result.with { $0.located = .init() }.result == nil)
    let many = JobResult(lease: .numbered(1), outcome: .located((0..<25).map { _ in .sample() }))
    guard case .outcome(.located(let places))? = Onthemap_Jobs_V1_Result(many).result?.reply else {
      Issue.record("The result with too many places is refused.")
      return
    }
    #expect(places.count == 20)
  }

  @Test("A failure of unknown kind is transient, and its texts are truncated", arguments: [0, 9, 257, 258, -254])
  func failures(kind: Int) {
    let wire = Onthemap_Jobs_V1_Failure.with {
      $0.kind = .UNRECOGNIZED(kind)
      $0.code = String(repeating: "c", count: 1_000)
      $0.detail = String(repeating: "d", count: 1_000)
    }
    #expect(wire.failure.kind == .transient)
    #expect(wire.failure.code.count == 64)
    #expect(wire.failure.detail.count == 256)
  }

  @Test("A confidence is rounded and clamped to 0 to 1,000", arguments: [(-1.0, 0), (2.0, 1_000), (0.4996, 500)])
  func confidence(value: Double, thousandths: UInt32) {
    var place = Place.sample()
    place.confidence = value
    #expect(Onthemap_Jobs_V1_Place(place).confidencePermille == thousandths)
  }

  @Test("Results are split into frames within the limit, and into no more frames than needed")
  func parts() throws {
    let places = (0..<20).map { _ in Place.sample(label: String(repeating: "é", count: 200)) }
    let large = (1...64).map { JobResult(lease: .numbered($0), outcome: .located(places)) }
    let failure = JobOutcome.Failure(kind: .transient, code: "c", detail: String(repeating: "d", count: 256))
    let small = (100...1_123).map { JobResult(lease: .numbered($0), outcome: .failed(failure)) }
    for results in [[], Array(large.prefix(1)), large, small, large + small] {
      let frames = JobCodec.results(results, session: .max)
      let read = frames.flatMap { frame -> [JobResult?] in
        guard case .results(.max, let results)? = WorkerMessage([frame][...]) else { return [nil] }
        return results.map { lease, reply in reply.map { JobResult(lease: lease, reply: $0) } }
      }
      #expect(read == results)
      let sizes = frames.map(\.count)
      #expect(sizes.allSatisfy { $0 <= Limits.jobFrameBytesMax })
      #expect(
        sizes.reduce(0, +) >= (frames.count - 1) * Limits.jobFrameBytesMax / 2, "The frames are at least half full.")
    }
    #expect(JobCodec.results([], session: 1).isEmpty)
    #expect(JobCodec.results(Array(large.prefix(2)), session: 1).count == 1)
  }

  @Test("A window of the longest jobs fits a frame")
  func windowFits() {
    let query = PlaceQuery(
      String(repeating: "x", count: Limits.placeBytesMax), kind: .reverse, limit: 20, country: "US",
      focus: .e7(-900_000_000, -1_800_000_000), language: "de", levels: Set(Place.Level.allCases), isDetailed: true)
    let jobs = (0..<UInt64(Limits.windowMax)).map { number in
      let job = Job(id: JobID(rawValue: .max - number), account: AccountID(rawValue: 1), request: .lookup(query))
      return JobScheduler.Assignment(job: job, lease: Lease(job: job.id, token: .max))
    }
    #expect(JobCodec.jobs(jobs, session: .max).count <= Limits.jobFrameBytesMax)
  }
}
