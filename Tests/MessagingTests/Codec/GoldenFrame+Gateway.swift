import FoundationEssentials
import SwiftProtobuf

@testable import Domain
@testable import Messaging

extension GoldenFrame {
  private static let gatewayToken = "q7Zs0t2Yc1nUj4b8KXe5dGh3LmPo6Rv9WyAfBiCkDlE"
  private static let connection: [UInt8] = [3, 0, 0, 0, 0, 0x80, 0, 0x41, 0xA7]

  static let gatewayFrames: [GoldenFrame] = {
    let posts = [
      SessionPost(
        token: gatewayToken,
        post: SubmittedPost(
          idempotencyKey: "01JD8Z7Q4W", place: "Seattle, WA", link: "https://example.org/zoe", latitude: 47.606_21,
          longitude: 0)),
      SessionPost(
        token: gatewayToken,
        post: SubmittedPost(idempotencyKey: "order 17", place: "Zoë’s garden", link: "https://example.org/x")),
    ]
    let request = ForwardedRequest(
      method: "GET", target: "/v2/posts?scope=all", authority: "map.example.org",
      headers: [.init(name: "Accept", value: "application/json")], body: [], clientAddress: "192.0.2.1")
    func same(_ file: String, _ id: UInt64, _ connection: [UInt8], _ body: GatewayFrame.OneOf_Body) -> GoldenFrame {
      .same("gateway", file, GatewayFrame(id: id, connection: connection, body)) { GatewayFrame([$0][...]) }
    }
    return [
      same("hello", 0, [], .hello(.with { ($0.gateway, $0.passwordHashes) = ("gateway-1", 2) })),
      frame("gateway", "posts", GatewayFrame.self, GatewayCodec.batch(posts, id: 3, connection: connection)) { bytes in
        guard let read = GatewayCodec.batch(bytes) else { return false }
        return read.id == 3 && read.connection == connection && read.posts == posts
      },
      same("request", 4, connection, .request(.init(request))), same("cancel", 4, connection, .cancel(.init())),
      same("end_wait", 4, connection, .endWait(.init())),
      same("password_hash", 6, connection, .passwordHash(.init([UInt8](32..<64), number: 9))),
    ]
  }()

  static let gatewayReplyFrames: [GoldenFrame] = {
    let results: [SessionPostResult] = [
      .accepted(.numbered(1_027), createdMs: 1_763_855_990_000, isReplayed: false),
      .accepted(.numbered(1_026), createdMs: 1_763_855_980_000, isReplayed: true),
      .refused(
        .init(
          status: 429, title: "Too Many Requests",
          refusal: SubmitRefusal(code: "too_many_posts", detail: "try again in 3 s"), retryAfterSeconds: 3)),
    ]
    let site = GatewaySite(
      isSecure: true, allowedOrigins: ["https://app.example.org", "http://localhost:3000"], isMapPublic: true)
    let response = ForwardedResponse(
      status: 404, headers: [.init(name: "Content-Type", value: "application/problem+json")],
      body: Array("{\"status\":404}".utf8))
    func same(_ file: String, _ id: UInt64, _ body: GatewayReply.OneOf_Body) -> GoldenFrame {
      .same("gateway", file, GatewayReply(id: id, body)) { GatewayReply([$0]) }
    }
    return [
      same(
        "welcome", 0,
        .welcome(
          .with {
            ($0.connection, $0.epoch, $0.generation, $0.heartbeatMs) = (.init(connection), .init(epoch.bytes), 3, 250)
            $0.site = .init(site)
          })),
      frame("gateway", "results", GatewayReply.self, GatewayCodec.results(results, id: 3)) { bytes in
        guard let reply = GatewayReply([bytes]), case .results(let read)? = reply.body else { return false }
        return read.results.map(\.result) == results && reply.requestID == 3
      },
      same("response", 4, .response(.init(response))),
      same(
        "not_executed", 4, .notExecuted(.with { ($0.reason, $0.connection) = (.staleConnection, .init(connection)) })),
      same(
        "hash_password", 6,
        .hashPassword(.init(PasswordHashWork(password: Secret("correct horse"), salt: [UInt8](0..<16)), number: 9))),
      same("error", 4, .error(.with { ($0.code, $0.detail) = (.outOfRange, "a batch of 0 posts; send 1 to 256") })),
    ]
  }()
}
