import Domain
import Logging
import Messaging
import RemoteGeocoding
import StubServers
import Testing

@testable import Worker

/// Waits until a condition holds. Throws after two minutes.
private func eventually(_ claim: String, _ holds: () -> Bool) async throws {
  let deadline = ContinuousClock.now + .seconds(120)
  while !holds() {
    try #require(ContinuousClock.now < deadline, "not within two minutes: \(claim)")
    try await Task.sleep(for: .milliseconds(5))
  }
}

/// A log handler that drops all lines. A weak reference to it becomes nil when the last owner of its logger is freed.
private final class Witness: LogHandler, Sendable {
  var logLevel: Logger.Level {
    get { .critical }
    set {}
  }
  var metadata: Logger.Metadata {
    get { [:] }
    set {}
  }
  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { nil }
    set {}
  }

  func log(event: LogEvent) {}
}

/// A stub provider, the remote lookups that use it, and their results.
private final class LookupsFixture {
  let server: StubServer
  /// The results so far, in order of arrival.
  private(set) var results: [JobResult] = []
  private let resultQueue = CommandQueue<JobResult>(WakeupEvent())
  private var lookups: RemoteLookups?
  private weak var witness: Witness?

  init(reply: @escaping @Sendable (StubServer.Request) -> StubServer.Reply) throws {
    server = try StubServer(reply: reply)
    let witness = Witness()
    self.witness = witness
    lookups = RemoteLookups(
      try RemoteConfiguration(provider: .nominatim, url: server.url),
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, results: resultQueue,
      meters: GeocodeMeters(logger: Logger(label: "meters") { _ in witness }))
  }

  deinit { lookups?.end() }

  /// Returns true if the lookups accept the job.
  func accept(_ job: Job, found: [Place]) -> Bool { lookups?.accept(job, Lease.sample(job), found: found) ?? false }

  /// Returns the next result.
  func result() async throws -> JobResult {
    let count = results.count
    try await eventually("the lookups have a result") {
      results += resultQueue.drain()
      return results.count > count
    }
    return results[count]
  }

  /// Ends the lookups. On return no request is in progress, and `results` is complete.
  func end() async throws {
    lookups?.end()
    lookups = nil
    // Each request in progress retains the meters, and so the witness.
    try await eventually("all requests have ended") { witness == nil }
    results += resultQueue.drain()
  }
}

@Suite("Remote lookups")
struct RemoteLookupsTests {
  @Test("A post with a permit gets a result under its lease: the provider's house, without detail")
  func post() async throws {
    let fixture = try LookupsFixture { _ in .response(body: ProviderSamples.nominatimHouse) }
    #expect(fixture.accept(.post(), found: [.city]))
    let result = try await fixture.result()
    #expect(result.lease == .sample(.post()))
    #expect(result.places.map(\.level) == [.house] && result.places.allSatisfy { $0.detail == nil })
  }

  @Test("A cached response needs no permit and no request, and a lookup gets its detail")
  func kept() async throws {
    let fixture = try LookupsFixture { _ in .response(body: ProviderSamples.nominatimHouse) }
    #expect(fixture.accept(.post(), found: [.city]))
    _ = try await fixture.result()
    #expect(fixture.accept(.lookup(isRemote: false), found: [.city]))
    let result = try await fixture.result()
    #expect(result.lease == .sample(.lookup(isRemote: false)))
    #expect(result.places.map(\.level) == [.house] && result.places[0].detail?.provider == "nominatim")
    #expect(fixture.server.requests.count == 1)
  }

  @Test("A job without a permit requests one with the gazetteer's places and sends no request")
  func withoutPermit() async throws {
    let fixture = try LookupsFixture { _ in .response(body: ProviderSamples.nominatimHouse) }
    #expect(fixture.accept(.lookup(isRemote: false), found: [.city]))
    #expect(try await fixture.result().reply == .needsRemote([.city]))
    try await fixture.end()
    #expect(fixture.results.count == 1 && fixture.server.requests.isEmpty)
  }

  @Test("A text without a street is left to the gazetteer and causes no request")
  func noStreet() async throws {
    let fixture = try LookupsFixture { _ in .response(body: ProviderSamples.nominatimHouse) }
    #expect(!fixture.accept(.post("Oslo"), found: [.oslo(.exact, unmatched: "")]))
    #expect(!fixture.accept(.post("Qwxzzzk"), found: []))
    try await fixture.end()
    #expect(fixture.results.isEmpty && fixture.server.requests.isEmpty)
  }

  private static let cityResponse = """
    [{"lat":"59.9","lon":"10.7","addresstype":"city","name":"Oslo","display_name":"Oslo kommune, Norway",
    "address":{"city":"Oslo","country":"Norway","country_code":"no"}}]
    """

  private static let outcomes: [(StubServer.Reply, [Place], JobOutcome)] = [
    (.response(body: ProviderSamples.nominatimNone), [.city], .located([.bareCity])),
    (.response(body: ProviderSamples.nominatimNone), [], .notFound),
    // The gazetteer knows cities better than the provider does.
    (.response(body: cityResponse), [.city], .located([.bareCity])),
    (.response(status: 503, body: ""), [.city], .located([.bareCity])),
    // The provider may know the place later, so this is no `notFound`, which would be final.
    (.response(status: 503, body: ""), [], .degraded([], code: "remote_unavailable")),
  ]

  @Test(
    "A post whose street the provider lacks gets the gazetteer's city, or the reason for no place",
    arguments: RemoteLookupsTests.outcomes)
  func outcome(reply: StubServer.Reply, found: [Place], outcome: JobOutcome) async throws {
    let fixture = try LookupsFixture { _ in reply }
    #expect(fixture.accept(.post(), found: found))
    #expect(try await fixture.result().reply == .outcome(outcome))
  }

  @Test("A lookup whose provider times out gets the degraded gazetteer place, and one result")
  func late() async throws {
    let fixture = try LookupsFixture { _ in .silence }
    #expect(fixture.accept(.lookup(isRemote: true), found: [.city]))
    let first = try await fixture.result()
    #expect(first.reply == .outcome(.degraded([.city], code: "remote_timeout")))
    // The end of the lookups ends the request, so its outcome comes second.
    try await fixture.end()
    #expect(fixture.results == [first])
  }

  @Test("A lookup with a provider's response gets one result, although its timeout ends later")
  func oneResult() async throws {
    let fixture = try LookupsFixture { _ in .response(body: ProviderSamples.nominatimHouse) }
    #expect(fixture.accept(.lookup(isRemote: true), found: [.city]))
    // On a busy machine the timeout may end first. Only one of the two outcomes counts in either case.
    let first = try await fixture.result()
    try await fixture.end()
    #expect(fixture.results == [first] && first.places.count == 1)
  }
}

extension Job {
  fileprivate static func post(_ text: String = "7 Storgata, Oslo") -> Job {
    var job = Job(id: JobID(rawValue: 1), account: AccountID(rawValue: 1), query: text)
    job.isRemote = true
    return job
  }

  fileprivate static func lookup(isRemote: Bool) -> Job {
    var job = Job(
      id: JobID(lookup: 2), account: AccountID(rawValue: 1),
      request: .lookup(PlaceQuery("7 Storgata, Oslo", isDetailed: true)))
    job.isRemote = isRemote
    return job
  }
}

extension Lease {
  fileprivate static func sample(_ job: Job) -> Lease { Lease(job: job.id, token: 1 << 40 | 7) }
}

extension JobResult {
  /// The places that the result has located.
  fileprivate var places: [Place] { if case .outcome(.located(let places)) = reply { places } else { [] } }
}

extension Place {
  /// The gazetteer's place for "7 Storgata, Oslo".
  fileprivate static let city = oslo(.fallback, unmatched: "7 Storgata")

  fileprivate static func oslo(_ match: Match, unmatched: String) -> Place {
    guard let coordinate = Coordinate(latitude: 59.9, longitude: 10.7) else { preconditionFailure("On the earth.") }
    var place = Place(
      coordinate: coordinate, level: .city, match: match, confidence: 0.5, label: "Oslo, Norway", name: "Oslo",
      region: "", country: "Norway", countryCode: "NO")
    var detail = Place.Detail()
    detail.unmatched = unmatched
    place.detail = detail
    return place
  }

  /// `city` without its detail.
  fileprivate static var bareCity: Place {
    var place = city
    place.detail = nil
    return place
  }
}
