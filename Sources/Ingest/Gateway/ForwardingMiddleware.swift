import Domain
import HTTPTypes
import Hummingbird
import Messaging
import NIOCore
import Web

/// A gateway's response to each request. It serves the page's files, and the list if it follows feeds. It submits a
/// plain post of a program itself, because of a post's cost four fifths are HTTP and JSON. It forwards every other
/// request, so ingest decides all that needs its state.
struct ForwardingMiddleware: RouterMiddleware {
  typealias Context = ConnectionContext

  let link: GatewayLink
  let ingest: IngestStatus
  /// Nil for a gateway that follows no feeds.
  let list: GatewayList?
  let proxies: TrustedProxies
  private let bodies = BodyBudget()
  private let keys = GatewayKeys()

  init(link: GatewayLink, ingest: IngestStatus, list: GatewayList?, proxies: TrustedProxies) {
    self.link = link
    self.ingest = ingest
    self.list = list
    self.proxies = proxies
  }

  func handle(
    _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    let site = ingest.current.site
    let origins = CrossOriginPolicy(allowedOrigins: site?.allowedOrigins ?? [])
    if let preflight = origins.preflightResponse(to: request) { return preflight }
    var response: Response
    do {
      if let file = ForwardingMiddleware.file(for: request) {
        response = file
      } else if let own = try list?.response(to: request, at: ForwardingMiddleware.path(of: request)) {
        response = own
      } else {
        let isBulk = ForwardingMiddleware.path(of: request) == BulkRoutes.path
        if isBulk, ingest.current.isAvailable, let refusal = try await refusalOfSession(of: request, context) {
          return refusal
        }
        let bytesMax = isBulk ? Limits.bulkBytesMax : Limits.requestBodyBytesMax
        let network = client(of: request, context)?.network
        guard !isBulk || bodies.reserve(bytesMax, of: network) else { throw Problem.busy }
        defer { if isBulk { bodies.release(bytesMax, of: network) } }
        let body = try await RequestBody.collect(request, upTo: bytesMax)
        guard let post = GatewayPost(request, body, keys: keys, knowsOrigins: site != nil),
          let own = try await submit(post)
        else {
          return try await forward(request, body, context)
        }
        response = own
      }
    } catch let problem as Problem {
      response = problem.response(in: CompatResponseFormat.body, at: request.uri.path)
    }
    // A forwarded response has these headers already. Before the first Welcome, only ingest knows the site.
    response.headers.addSecurityHeaders(isSecure: site?.isSecure ?? false)
    origins.addHeaders(to: &response, for: request)
    return response
  }

  /// Returns the path as the router reads it: several slashes count as one.
  private static func path(of request: Request) -> String {
    "/" + request.uri.path.split(separator: "/").joined(separator: "/")
  }

  /// Returns a file of the page. Nil for every other path, and for a file of another version.
  private static func file(for request: Request) -> Response? {
    request.method == .get ? PageRoutes.file(for: request) : nil
  }

  /// Submits a post. Returns nil if only ingest's own routes know the response: the state of an earlier post.
  private func submit(_ post: GatewayPost) async throws -> Response? {
    switch try await link.submit(post.sessionPost, clientMayRepeat: !post.hasGatewayKey) {
    case .accepted(let id, let createdMs, let isReplayed):
      guard !isReplayed || post.hasGatewayKey else { return nil }
      return Response.accepted(id, post.submission, createdMs: createdMs)
    case .refused(let refusal): throw Problem(refusal)
    }
  }

  private func client(of request: Request, _ context: ConnectionContext) -> IPAddress? {
    context.peer.map { proxies.client(of: $0, forwardedFor: request.headers[values: .xForwardedFor]) }
  }

  /// Asks ingest for the session of a bulk request, before the gateway holds its large body. Ingest checks the session
  /// first, and then refuses the empty body. While ingest is away, the body must not wait unread for this check.
  ///
  /// - Returns: ingest's response, or nil for a valid session.
  private func refusalOfSession(of request: Request, _ context: ConnectionContext) async throws -> Response? {
    let check = ForwardedRequest(request, body: ByteBuffer(), client: client(of: request, context), extra: nil)
    let response = Response(
      try await link.forward(
        check, isRepeatable: true, clientMayRepeat: true, onDisconnect: context.onClientDisconnect))
    return response.status == .badRequest ? nil : response
  }

  private func forward(_ request: Request, _ body: ByteBuffer, _ context: ConnectionContext) async throws -> Response {
    let (key, isRepeatable) = repetition(of: request)
    return Response(
      try await link.forward(
        ForwardedRequest(request, body: body, client: client(of: request, context), extra: key),
        isRepeatable: isRepeatable, clientMayRepeat: isRepeatable && key == nil,
        onDisconnect: context.onClientDisconnect))
  }

  /// Decides whether ingest may execute a request twice. Posts get an idempotency key if they have none.
  private func repetition(of request: Request) -> (key: HTTPField?, isRepeatable: Bool) {
    let path = ForwardingMiddleware.path(of: request)
    switch request.method {
    case .get, .head, .options: return (nil, true)
    // An edit of a post, or its deletion, has the same effect twice. A change of an account checks its old password,
    // so a repeat of it would fail.
    case .put, .delete:
      return (nil, (CompatResponseFormat.lists + [PostRoutes.path]).contains { path.hasPrefix("\($0)/") })
    case .post: break
    default: return (nil, false)
    }
    // A second login begins a second session, which ends by itself.
    if path == "/v2/session" || CompatResponseFormat.sessions.contains(path) { return (nil, true) }
    guard CompatResponseFormat.lists.contains(path) || [PostRoutes.path, BulkRoutes.path].contains(path) else {
      return (nil, false)
    }
    guard request.headers[.idempotencyKey] == nil else { return (nil, true) }
    return (HTTPField(name: .idempotencyKey, value: keys.next()), true)
  }
}

extension Problem {
  fileprivate init(_ refusal: SessionPostResult.Refusal) {
    self.init(
      HTTPResponse.Status(code: refusal.status, reasonPhrase: refusal.title), refusal.refusal.code,
      refusal.refusal.detail, field: refusal.refusal.field, retryAfterSeconds: refusal.retryAfterSeconds)
  }
}
