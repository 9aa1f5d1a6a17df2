import SwiftProtobuf
import Testing

@testable import Domain
@testable import Messaging

@Suite("Lookups on the job link")
struct LookupWireTests {
  private func wire(_ job: Job) -> Onthemap_Jobs_V1_Job { .init(.init(job: job, lease: .numbered(1))) }

  private func wire(_ query: PlaceQuery) -> Onthemap_Jobs_V1_Job {
    wire(Job(id: JobID(lookup: 1), account: AccountID(rawValue: 0), request: .lookup(query)))
  }

  @Test("Every option of a lookup survives a round trip")
  func options() {
    #expect(wire(.lookup).job?.request == Job.lookup.request)
    for kind in [PlaceQuery.Kind.forward, .autocomplete, .reverse] {
      let query = PlaceQuery("Oslo", kind: kind, limit: 20, isDetailed: true)
      #expect(wire(query).job?.placeQuery == query)
    }
    for level in Place.Level.allCases {
      let query = PlaceQuery("Oslo", levels: [level], isDetailed: true)
      #expect(wire(query).job?.placeQuery == query)
    }
    let edge = PlaceQuery("Oslo", focus: .e7(-900_000_000, 1_800_000_000), isDetailed: true)
    #expect(wire(edge).job?.placeQuery == edge)
  }

  @Test("A post's job is 32 bytes on the wire: its text, a limit and its lease")
  func post() throws {
    let job = wire(Job(id: JobID(rawValue: 1), account: AccountID(rawValue: 7), query: "Oslo"))
    #expect(!job.hasLookup && job.job?.request == .post("Oslo"))
    let bytes: [UInt8] = try job.serializedBytes()
    #expect(bytes.count == 32, "Two numbers have 9 bytes each, the time 4, the attempt 2, the text 6, the limit 2.")
    #expect(MemoryLayout<Job.Request>.size <= MemoryLayout<String>.size + 1)
  }

  @Test("A limit is clamped to 1 to 20, and a job may have limit and country without a lookup")
  func limit() {
    var job = wire(.lookup)
    job.limit = 0
    #expect(job.job?.placeQuery.limit == 1)
    job.limit = 21
    #expect(job.job?.placeQuery.limit == 20)
    job.clearLookup()
    #expect(job.job?.placeQuery == PlaceQuery("Seattle", limit: 20, country: "US"))
  }

  /// Changes that make a lookup malformed.
  static let malformed: [(String, @Sendable (inout Onthemap_Jobs_V1_Job) -> Void)] = [
    ("unknown kind", { $0.lookup.kind = .UNRECOGNIZED(9) }), ("country", { $0.country = "USA" }),
    ("language", { $0.lookup.language = "deu" }), ("latitude", { $0.lookup.focus.latE7 = 900_000_001 }),
    ("longitude", { $0.lookup.focus.lonE7 = -1_800_000_001 }),
    ("only unknown levels", { $0.lookup.levels = [.UNRECOGNIZED(8), .unspecified] }),
    ("level 257, which a byte truncates to 1", { $0.lookup.levels = [.UNRECOGNIZED(257)] }),
  ]

  @Test("A worker refuses a malformed lookup", arguments: malformed.indices)
  func malformedJob(index: Int) {
    var job = wire(.lookup)
    Self.malformed[index].1(&job)
    #expect(job.job == nil, "\(Self.malformed[index].0)")
  }

  @Test("A worker ignores unknown levels among known levels")
  func levels() {
    var job = wire(.lookup)
    job.lookup.levels = [.city, .UNRECOGNIZED(8), .UNRECOGNIZED(-1)]
    #expect(job.job?.placeQuery.levels == [.city])
  }

  @Test("A detail survives a round trip, and a result has one attribution for all places")
  func detail() throws {
    var other = Place.detailed()
    other.detail?.attribution = "© others"
    let result = JobResult(lease: .numbered(1), outcome: .located([.detailed(), .detailed(), other]))
    let wire = Onthemap_Jobs_V1_Result(result)
    #expect(wire.located.attribution == "© somebody; © others")
    guard case .outcome(.located(let places))? = wire.result?.reply else {
      Issue.record("The result has no places.")
      return
    }
    #expect(Place.attribution(of: places) == "© somebody; © others")
    var first = try #require(places.first)
    first.detail?.attribution = "© somebody"
    #expect(first == .detailed())
  }

  /// Changes that make a detail invalid.
  static let forbidden: [(String, @Sendable (inout Onthemap_Jobs_V1_Detail) -> Void)] = [
    ("county", { $0.county = String(repeating: "x", count: 257) }),
    ("postcode", { $0.postcode = String(repeating: "1", count: 33) }),
    ("matched", { $0.matched = String(repeating: "x", count: 257) }),
    ("unmatched with a control character", { $0.unmatched = "a\nb" }),
    ("provider", { $0.provider = String(repeating: "x", count: 33) }),
    ("provider that changes direction", { $0.provider = "\u{202E}" }),
    ("box upside down", { $0.box.southE7 = $0.box.northE7 + 1 }),
    ("box off the earth", { $0.box.eastE7 = 1_800_000_001 }),
  ]

  @Test("A result with an invalid detail is refused", arguments: forbidden.indices)
  func forbiddenDetail(index: Int) {
    var wire = Onthemap_Jobs_V1_Result(JobResult(lease: .numbered(1), outcome: .located([.detailed()])))
    #expect(wire.result != nil)
    Self.forbidden[index].1(&wire.located.details[0])
    #expect(wire.result == nil, "\(Self.forbidden[index].0)")
  }

  @Test("A result has a detail for each place or no details")
  func counts() {
    let result = JobResult(lease: .numbered(1), outcome: .located([.detailed(), .detailed()]))
    var wire = Onthemap_Jobs_V1_Result(result)
    #expect(wire.located.details.count == 2 && wire.result == result)
    wire.located.details.removeLast()
    #expect(wire.result == nil)
    let post = Onthemap_Jobs_V1_Result(JobResult(lease: .numbered(1), outcome: .located([.sample()])))
    #expect(post.located.details.isEmpty && post.located.attribution.isEmpty)
  }

  @Test("Typed words are sent as one safe line of bounded length")
  func cut() throws {
    var place = Place.detailed()
    place.detail?.unmatched = "a\n\u{202E}" + String(repeating: "é", count: 1_000)
    place.detail?.attribution = String(repeating: "©", count: 5_000)
    let wire = Onthemap_Jobs_V1_Result(JobResult(lease: .numbered(1), outcome: .located([place])))
    #expect(wire.located.details[0].unmatched.utf8.count == 255, "No character is split.")
    #expect(wire.located.attribution.utf8.count == 1_024)
    #expect(wire.result != nil)
  }

  @Test("Twenty places with the longest texts fit a frame")
  func longest() throws {
    func text(_ count: Int) -> String { String(repeating: "x", count: count) }
    var place = Place.detailed()
    (place.label, place.name, place.region, place.country) = (text(512), text(512), text(512), text(512))
    place.coordinate = .e7(-900_000_000, -1_800_000_000)
    place.detail?.county = text(256)
    place.detail?.postcode = text(32)
    place.detail?.matched = text(256)
    place.detail?.unmatched = text(256)
    place.detail?.provider = text(32)
    place.detail?.attribution = text(1_024)
    place.detail?.box = BoundingBox(
      south: -900_000_000, west: -1_800_000_000, north: 900_000_000, east: 1_800_000_000)
    let outcome = JobOutcome.located(Array(repeating: place, count: 20))
    let results = (1...3).map { JobResult(lease: Lease(job: JobID(lookup: .max), token: .max - $0), outcome: outcome) }
    let frames = JobCodec.results(results, session: .max)
    #expect(frames.count == 3)
    #expect(frames.flatMap { WorkerFrame([$0][...])?.results.results.compactMap(\.result) ?? [] } == results)
    #expect(frames.allSatisfy { $0.count <= Limits.jobFrameBytesMax })
  }

  @Test("A lookup's options and details survive the job link")
  func sockets() async throws {
    let ledger = Ledger()
    let server = try TestServer(ledger)
    defer { server.reactor.stop() }
    let worker = try TestWorker(server.endpoint) { job in
      job.request == Job.lookup.request ? .located([.detailed()]) : .notFound
    }
    defer { worker.reactor.stop() }
    server.add([.lookup, .post(1)], to: ledger)
    try await eventually("both jobs are settled") { ledger.unsettled.isEmpty }
    #expect(worker.replies.value == 2 && ledger.located == [[.detailed()]])
  }
}
