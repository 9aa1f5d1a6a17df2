import InMemoryLogging
import Logging
import Testing

@testable import Domain
@testable import Ingest
@testable import Messaging
@testable import Web

@Suite("List of a gateway")
struct GatewayListTests {
  /// Returns the sequence number of the list at the gateway. The tests' own lists have the number 99.
  private func seq(_ client: Client) async throws -> UInt64 { try await client.list().seq }

  @Test("A gateway's own response has the bytes and headers of ingest's, for every form of the request")
  func sameResponses() async throws {
    let gateway = try await GatewayFixture()
    let direct = try await gateway.ingest.client.signedUp()
    for place in ["Oslo", "Costa Rica"] { #expect(try await direct.post(place, wait: 30)["state"] == "published") }
    gateway.feed(.list(try await gateway.latest(), isStale: false))
    let tag = try #require(try await direct.get("/v2/feed").headers["etag"])
    let requests: [(method: String, path: String, headers: [String: String], status: Int)] = [
      ("GET", "/v2/feed", [:], 200), ("HEAD", "/v2/feed", [:], 200), ("GET", "//v2//feed", [:], 200),
      ("GET", "/v2/feed", ["Accept-Encoding": "gzip"], 200), ("GET", "/v2/feed?country=CR", [:], 200),
      ("GET", "/v2/feed", ["If-None-Match": tag], 304), ("HEAD", "/v2/feed", ["If-None-Match": tag], 304),
      ("GET", "/v2/feed?bbox=1", [:], 400),
    ]
    var responses: [APIResponse] = []
    for request in requests {
      responses.append(try await direct.send(request.method, request.path, headers: request.headers))
    }
    // The gateway needs no ingest for these responses.
    gateway.ingest.end()
    for ((method, path, headers, status), expected) in zip(requests, responses) {
      gateway.status.set(isAvailable: true)
      let actual = try await gateway.client.send(method, path, headers: headers)
      #expect(actual.status == status && actual.body == expected.body, "\(method) \(path)")
      #expect(actual.headers == expected.headers, "\(method) \(path)")
    }
  }

  @Test("A gateway serves each change, and forwards while it has no list, or while its feed is silent or stale")
  func changes() async throws {
    let gateway = try await GatewayFixture()
    let client = gateway.client
    #expect(try await seq(client) == 0)
    try await gateway.feedEmptyList()
    #expect(try await seq(client) == 99)
    let next = FeedState(epoch: try await gateway.latest().epoch, seq: 100, entries: [])
    gateway.feed(.changes(FeedDelta(prevSeq: 99, seq: 100, upsert: [], remove: []), next))
    #expect(try await seq(client) == 100)
    gateway.feed(.stale(true))
    #expect(try await seq(client) == 0)
    gateway.feed(.stale(false))
    #expect(try await seq(client) == 100)
    gateway.feed(.desynced(.timedOut))
    #expect(try await seq(client) == 0)
    try await gateway.feedEmptyList(seq: 101)
    #expect(try await seq(client) == 101)
  }

  @Test("A gateway serves a stale list, marked as stale, only while ingest is unavailable")
  func unavailable() async throws {
    let gateway = try await GatewayFixture()
    try await gateway.feedEmptyList()
    try await eventually("the gateway keeps the list at a Welcome") { () -> Bool in
      gateway.status.set(isAvailable: false)
      defer { gateway.status.set(isAvailable: true) }
      return gateway.list.revision != nil
    }
    gateway.feed(.stale(true))
    #expect(try await seq(gateway.client) == 0)
    gateway.status.set(isAvailable: false)
    let list = try await gateway.client.get("/v2/feed")
    #expect(list.object["seq"] as? Int == 99 && list.object["stale"] as? Bool == true)
    #expect(list.headers["etag"]?.hasSuffix("-stale\"") == true)
  }

  /// Returns an entry whose id and sequence number are the same number.
  private func entry(_ seq: UInt64) throws -> FeedEntry {
    FeedEntry(
      id: try #require(PostID(rawValue: seq)), seq: seq, account: AccountID(rawValue: 1), firstName: "Ada",
      lastName: "", place: "Oslo", label: "Oslo", countryCode: "NO", link: "",
      coordinate: try #require(Coordinate(latitudeE7: 0, longitudeE7: 0)),
      agreement: .notGiven, createdMs: 1, updatedMs: 1)
  }

  /// A report of a feed whose list had the posts 3, 2 and 1.
  enum Report: CaseIterable {
    case newestDeleted, oldestDeleted, listWithoutPost, listOfOtherEpoch
  }

  @Test(
    "A gateway without ingest serves its list after a new post, and no longer after one of its posts has left the feed",
    arguments: Report.allCases)
  func deletion(report: Report) async throws {
    let gateway = try await GatewayFixture()
    let epoch = try await gateway.latest().epoch
    func state(_ seqs: [UInt64]) throws -> FeedState {
      FeedState(epoch: epoch, seq: seqs.max() ?? 0, entries: try seqs.map(entry))
    }
    gateway.feed(.list(try state([3, 2, 1]), isStale: false))
    try await eventually("the gateway keeps the list at a Welcome") { () -> Bool in
      gateway.status.set(isAvailable: false)
      defer { gateway.status.set(isAvailable: true) }
      return gateway.list.revision != nil
    }
    gateway.status.set(isAvailable: false)
    let post = FeedDelta(prevSeq: 3, seq: 4, upsert: [try entry(4)], remove: [])
    gateway.feed(.changes(post, try state([4, 3, 2, 1])))
    gateway.feed(.list(try state([4, 3, 2, 1]), isStale: false))
    #expect(gateway.list.revision?.state.seq == 3)
    func delete(_ seq: UInt64) throws {
      let deletion = FeedDelta(prevSeq: 4, seq: 5, upsert: [], remove: [try entry(seq).id])
      gateway.feed(.changes(deletion, try state([4, 3, 2, 1].filter { $0 != seq })))
    }
    switch report {
    case .newestDeleted: try delete(3)
    case .oldestDeleted: try delete(1)
    case .listWithoutPost: gateway.feed(.list(try state([4, 3, 1]), isStale: false))
    case .listOfOtherEpoch:
      gateway.feed(.list(FeedState(epoch: .filled(with: 9), seq: 4, entries: []), isStale: false))
      gateway.feed(.list(try state([4, 3, 2, 1]), isStale: false))
    }
    #expect(gateway.list.revision == nil)
    gateway.status.set(isAvailable: true)
    try await eventually("the gateway keeps the next list at a Welcome") { () -> Bool in
      gateway.status.set(isAvailable: false)
      defer { gateway.status.set(isAvailable: true) }
      return gateway.list.revision?.state.seq == 4
    }
  }

  @Test("A gateway never serves the list of another ingest")
  func otherEpoch() async throws {
    let gateway = try await GatewayFixture()
    try await gateway.feedEmptyList(epoch: .filled(with: 9))
    #expect(try await seq(gateway.client) == 0)
    gateway.status.set(isAvailable: false)
    #expect(gateway.list.revision == nil)
  }

  @Test("A members-only map shows no list to a client without a session, also after it was public")
  func members() async throws {
    let gateway = try await GatewayFixture { $0.page.mapAccess = .members(nil) }
    try await gateway.feedEmptyList()
    #expect(try await gateway.client.get("/v2/feed").status == 401)
    #expect(try await seq(gateway.client.signedUp()) == 0)
    gateway.status.set(isAvailable: false)
    #expect(gateway.list.revision == nil)

    let (status, logger) = (IngestStatus(), Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let list = GatewayList(ingest: status)
    let epoch = Epoch.filled(with: 1)
    func site(isMapPublic: Bool) -> GatewaySite {
      GatewaySite(isSecure: false, allowedOrigins: [], isMapPublic: isMapPublic)
    }
    list.receive(.list(FeedState(epoch: epoch, seq: 1, entries: []), isStale: false), logger: logger)
    status.set(isAvailable: true)
    // Until the first Welcome, and with an earlier version of ingest, it is unknown who may see the map.
    #expect(list.revision == nil)
    status.set(nil, epoch: epoch)
    #expect(list.revision == nil)
    status.set(site(isMapPublic: true), epoch: epoch)
    #expect(list.revision?.state.seq == 1)
    list.welcomed(logger: logger)
    // The map may be members-only by now, at an ingest that the gateway does not reach.
    status.set(isAvailable: false)
    list.receive(
      .changes(FeedDelta(prevSeq: 1, seq: 2, upsert: [], remove: []), FeedState(epoch: epoch, seq: 2, entries: [])),
      logger: logger)
    #expect(list.revision?.state.seq == 1 && list.revision?.isStale == true)
    status.set(isAvailable: true)
    #expect(list.revision?.state.seq == 2)
    status.set(site(isMapPublic: false), epoch: epoch)
    list.welcomed(logger: logger)
    #expect(list.revision == nil)
    status.set(isAvailable: false)
    #expect(list.revision == nil)
  }

  @Test("A gateway with feeds warns once that the map is members-only, and again after the map was public")
  func membersOnlyWarning() {
    let (status, handler) = (IngestStatus(), InMemoryLogHandler())
    let (list, logger) = (GatewayList(ingest: status), Logger(label: "test") { _ in handler })
    func welcome(isMapPublic: Bool?) {
      let site = isMapPublic.map { GatewaySite(isSecure: false, allowedOrigins: [], isMapPublic: $0) }
      status.set(site, epoch: Epoch.filled(with: 1))
      list.welcomed(logger: logger)
    }
    func warnings() -> Int {
      handler.entries.count { $0.message.description.hasPrefix("list not served: the map is members-only") }
    }
    for isMapPublic in [nil, true, true] as [Bool?] { welcome(isMapPublic: isMapPublic) }
    #expect(warnings() == 0)
    for isMapPublic in [false, false, nil, false] as [Bool?] { welcome(isMapPublic: isMapPublic) }
    #expect(warnings() == 1)
    for isMapPublic in [true, false, false] { welcome(isMapPublic: isMapPublic) }
    #expect(warnings() == 2)
  }

  @Test("A gateway warns about the feed of another ingest, but not during the seconds after a restore")
  func otherIngest() {
    let (status, handler) = (IngestStatus(), InMemoryLogHandler())
    let (list, logger) = (GatewayList(ingest: status), Logger(label: "test") { _ in handler })
    let (old, new) = (Epoch.filled(with: 1), Epoch.filled(with: 2))
    let site = GatewaySite(isSecure: false, allowedOrigins: [], isMapPublic: true)
    list.receive(.list(FeedState(epoch: old, seq: 1, entries: []), isStale: false), logger: logger)
    status.set(isAvailable: true)
    status.set(site, epoch: new)
    func warnings() -> Int { handler.entries.count { $0.message.description.hasPrefix("list not served") } }
    for _ in 1..<Limits.gatewayListMismatches { list.welcomed(logger: logger) }
    #expect(warnings() == 0)
    for _ in 0..<9 { list.welcomed(logger: logger) }
    #expect(warnings() == 1)
    list.receive(.list(FeedState(epoch: new, seq: 2, entries: []), isStale: false), logger: logger)
    for _ in 0..<99 { list.welcomed(logger: logger) }
    #expect(warnings() == 1 && list.revision?.state.seq == 2)
  }
}

extension Epoch {
  fileprivate static func filled(with byte: UInt8) -> Epoch { Epoch(Array(repeating: byte, count: 16))! }
}
