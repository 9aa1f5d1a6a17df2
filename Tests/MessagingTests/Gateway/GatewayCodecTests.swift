import Fuzzing
import SwiftProtobuf
import Testing

@testable import Domain
@testable import Messaging

@Suite("Gateway codec")
struct GatewayCodecTests {
  struct Mismatch: Error { let bytes: [UInt8] }

  /// Requires that the codec decodes bytes as the generated code does, if it decodes them at all.
  static func requireSameReading(of bytes: [UInt8]) throws {
    if let (id, connection, posts) = GatewayCodec.batch(bytes) {
      let frame = try #require(GatewayFrame([bytes][...]), "\(bytes)")
      guard case .posts(let batch)? = frame.body else { throw Mismatch(bytes: bytes) }
      try #require(frame.requestID == id && Array(frame.connection) == connection, "\(bytes)")
      try #require(batch.posts.map(\.post) == posts, "\(bytes)")
    }
    guard let (id, results) = GatewayCodec.results(bytes) else { return }
    let reply = try #require(GatewayReply([bytes]), "\(bytes)")
    guard case .results(let generated)? = reply.body else { throw Mismatch(bytes: bytes) }
    try #require(reply.requestID == id && generated.results.map(\.result) == results, "\(bytes)")
  }

  @Test("The gateway codec encodes and decodes exactly as the generated code")
  func sameAsGenerated() throws {
    for seed in 0..<300 as Range<UInt64> {
      var random = SeededRandom(seed: seed)
      let (id, connection) = (random.next() | 1, [UInt8](repeating: UInt8(seed % 255 + 1), count: 9))
      let posts = random.posts(below: 40).map { SessionPost(token: TestSubmitServer.token, post: $0) }
      let batch = GatewayCodec.batch(posts, id: id, connection: connection)
      let frame = GatewayFrame(
        id: id, connection: connection, .posts(.with { $0.posts = posts.map { .init($0) } }))
      try #require(batch == frame.bytes, "seed \(seed)")
      try Self.requireSameReading(of: batch)
      let results = random.results(below: 40)
      let written = GatewayCodec.results(results, id: id)
      let reply = GatewayReply(id: id, .results(.with { $0.results = results.map { .init($0) } }))
      try #require(written == reply.bytes, "seed \(seed)")
      try Self.requireSameReading(of: written)
      try #require(GatewayReply([written])?.results.results.map(\.result) == results, "seed \(seed)")
    }
  }

  @Test("The gateway codec decodes posts and results of stored posts itself")
  func short() throws {
    var random = SeededRandom(seed: 1)
    for _ in 0..<100 {
      let posts = random.posts(below: 9).map { SessionPost(token: TestSubmitServer.token, post: $0) }
      let batch = try #require(GatewayCodec.batch(GatewayCodec.batch(posts, id: 7, connection: [1, 2])))
      #expect(batch.id == 7 && batch.connection == [1, 2] && batch.posts.count == posts.count)
      let stored = random.results(below: 9).filter { if case .accepted = $0 { true } else { false } }
      let reply = try #require(GatewayCodec.results(GatewayCodec.results(stored, id: 7)))
      #expect(reply.id == 7 && reply.results == stored)
    }
  }

  @Test("A site survives its message, and a message without members is a site whose map is not public")
  func sites() {
    let site = GatewaySite.sample
    let members = GatewaySite(isSecure: false, allowedOrigins: [], isMapPublic: false)
    for site in [site, members] { #expect(Onthemap_Gateway_V1_Site(site).site == site) }
    #expect(Onthemap_Gateway_V1_Site().site == members)
    #expect(Onthemap_Gateway_V1_Site(site).allowedOrigins == ["http://localhost:3000", "https://app.example.org"])
  }

  @Test("A result without a valid id or time is no result")
  func invalidResults() {
    #expect(Onthemap_Gateway_V1_PostResult.with { $0.postID = "short" }.result == nil)
    let late = Onthemap_Gateway_V1_PostResult.with {
      $0.postID = PostID.numbered(1).description
      $0.createdUnixMs = Protocol.unixMsMax + 1
    }
    #expect(late.result == nil)
  }
}

extension SeededRandom {
  /// Returns fewer than `bound` results of each kind.
  fileprivate mutating func results(below bound: Int) -> [SessionPostResult] {
    (0..<below(bound)).map { index in
      switch below(3) {
      case 0: .accepted(.numbered(UInt64(index + 1)), createdMs: 1_763_855_990_000 + Int64(index), isReplayed: false)
      case 1: .accepted(.numbered(UInt64(index + 1)), createdMs: 1_763_855_990_000, isReplayed: true)
      default:
        .refused(
          .init(
            status: 422, title: "Unprocessable Content",
            refusal: SubmitRefusal(
              code: "invalid_place", detail: "place is empty", field: below(2) == 0 ? "" : "place"),
            retryAfterSeconds: below(2) == 0 ? nil : 1 + below(60)))
      }
    }
  }
}
