import Domain
import HTTPTypes
import Hummingbird
import Logging
import Testing
import Web

@testable import Ingest
@testable import Messaging

/// Tests of a gateway's decisions, without a link: the tests give ingest's replies.
@Suite("Forwarding by gateways")
struct ForwardingTests {
  private static let token = String(repeating: "t", count: Limits.sessionTokenBytes)
  private static let post = #"{"place":"Oslo","link":"https://example.org"}"#

  private let commands = CommandQueue<GatewayClient.Command>(WakeupEvent())
  private let ingest = IngestStatus()
  private let responder: RouterResponder<ConnectionContext>

  init() {
    let router = Router(context: ConnectionContext.self)
    router.add(
      middleware: ForwardingMiddleware(
        link: GatewayLink(commands), ingest: ingest, list: nil, proxies: TrustedProxies()))
    responder = router.buildResponder()
  }

  private func send(_ path: String, key: String? = nil, prefer: String? = nil) async throws -> Response {
    var headers = [ForwardedRequest.Header(name: "Authorization", value: "Bearer \(Self.token)")]
    if let key { headers.append(.init(name: "Idempotency-Key", value: key)) }
    if let prefer { headers.append(.init(name: "Prefer", value: prefer)) }
    let request = ForwardedRequest(
      method: "POST", target: path, authority: "map.example", headers: headers, body: Array(Self.post.utf8),
      clientAddress: nil)
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    return try await responder.respond(
      to: Request(request), context: ConnectionContext(ForwardedClient(address: nil), logger: logger))
  }

  private func command() async throws -> GatewayClient.Command {
    try await eventually("the gateway sends a request") { commands.drain().first }
  }

  /// Responds to the next request, which submits a post. Returns the post.
  private func submitted(isReplayed: Bool) async throws -> SessionPost {
    guard case .post(let post, let completion) = try await command() else {
      throw TimeoutError(description: "the gateway submits no post")
    }
    completion(.success(.accepted(try #require(PostID(rawValue: 7)), createdMs: 1, isReplayed: isReplayed)))
    return post
  }

  @Test("A post that ingest has stored at an earlier attempt under the gateway's key is not sent under a second key")
  func repeated() async throws {
    var keys: Set<String> = []
    for isReplayed in [false, true] {
      async let response = send("/v2/posts")
      keys.insert(try await submitted(isReplayed: isReplayed).post.idempotencyKey)
      async let _ = refuseRequests()
      #expect(try await response.status == .accepted)
    }
    #expect(keys.count == 2 && keys.allSatisfy { $0.hasPrefix("gateway-") }, "Each post has its own key.")
  }

  /// Refuses all forwarded requests until the task is cancelled.
  private func refuseRequests() async {
    while !Task.isCancelled {
      for case .request(_, _, _, let completion) in commands.drain() { completion(.failure(.busy)) }
      try? await Task.sleep(for: .milliseconds(10))
    }
  }

  @Test("The state of an earlier post under the client's key comes from ingest's routes, under the same key")
  func replayed() async throws {
    async let response = send("/v2/posts", key: "mine")
    let post = try await submitted(isReplayed: true)
    #expect(post.post.idempotencyKey == "mine" && post.token == Self.token)
    try await expectForwarded(key: { $0 == "mine" }, isRepeatable: true)
    #expect(try await response.status == .ok)
  }

  @Test(
    "A forwarded post without a key gets one, so that its repeat is stored once",
    arguments: ["/v2/posts", "/v2/posts/bulk", "/v1/StudentLocation"])
  func forwarded(path: String) async throws {
    async let response = send(path, prefer: "wait=1")
    try await expectForwarded(key: { $0?.hasPrefix("gateway-") == true }, isRepeatable: true)
    #expect(try await response.status == .ok)
  }

  @Test("A gateway checks the session of a bulk request before it reads the body, unless ingest is away")
  func bulk() async throws {
    for isAvailable in [true, false] {
      ingest.set(isAvailable: isAvailable)
      async let response = send(BulkRoutes.path)
      if isAvailable {
        guard case .request(_, let check, let isRepeatable, let completion) = try await command() else {
          throw TimeoutError(description: "the gateway checks no session")
        }
        #expect(check.body.isEmpty && isRepeatable)
        completion(.success(ForwardedResponse(status: 400, headers: [], body: [])))
      }
      guard case .request(_, let request, _, let completion) = try await command() else {
        throw TimeoutError(description: "the gateway forwards no body")
      }
      #expect(request.body == Array(Self.post.utf8))
      completion(.success(ForwardedResponse(status: 200, headers: [], body: [])))
      #expect(try await response.status == .ok)
    }
  }

  @Test("A sign-up is not repeated, and a login is", arguments: [("/v2/accounts", false), ("/v2/session", true)])
  func accounts(path: String, isRepeatable: Bool) async throws {
    async let response = send(path)
    try await expectForwarded(key: { $0 == nil }, isRepeatable: isRepeatable)
    #expect(try await response.status == .ok)
  }

  /// Expects the next request to be a forwarded one, and responds to it.
  private func expectForwarded(key: (String?) -> Bool, isRepeatable: Bool) async throws {
    guard case .request(_, let request, let actual, let completion) = try await command() else {
      throw TimeoutError(description: "the gateway forwards no request")
    }
    let keys = request.headers.filter { $0.name.lowercased() == "idempotency-key" }.map(\.value)
    #expect(keys.count <= 1 && key(keys.first), "\(keys)")
    #expect(actual == isRepeatable)
    completion(.success(ForwardedResponse(status: 200, headers: [], body: [])))
  }
}
