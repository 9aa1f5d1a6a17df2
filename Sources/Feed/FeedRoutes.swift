import Domain
import HTTPTypes
import Hummingbird
import Messaging
import NIOCore
import Web

/// The feed's HTTP routes: the list at `/v2/feed`, and its changes at `/v2/feed/stream`. A members-only map requires a
/// `ticket` from ingest. Pages of every origin may read all routes. `/livez` and `/readyz` are for operators.
struct FeedRoutes: Sendable {
  let latest: CurrentList
  let streams: SSEBroadcaster
  let mapAccess: MapAccess

  func add(to router: Router<ConnectionContext>) {
    router.get("/livez") { _, _ in Response(status: .noContent) }
    router.get("/readyz") { _, _ in try readiness() }
    router.get("/v2/feed") { request, _ in try list(request) }
    router.get("/v2/feed/stream") { request, context in try stream(request, context) }
    for path in ["/livez", "/readyz"] as [RouterPath] { router.respondMethodNotAllowed(at: path, allow: .get) }
    for path in ["/v2/feed", "/v2/feed/stream"] as [RouterPath] {
      router.on(path, method: .options) { _, _ in Response(status: .noContent, headers: Self.preflight) }
      router.respondMethodNotAllowed(at: path, allow: .get, .options)
    }
  }

  /// Returns 200 for load balancers.
  ///
  /// - Throws: a problem with status 503 while the feed has no list or its list is stale.
  private func readiness() throws -> Response {
    let text = try Readiness.text([latest.check])
    return Response(
      status: .ok, headers: [.contentType: "text/plain; charset=utf-8"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
  }

  private func list(_ request: Request) throws -> Response {
    _ = try admit(Query(request))
    return try revision().response(to: request)
  }

  private func stream(_ request: Request, _ context: ConnectionContext) throws -> Response {
    let query = Query(request)
    let endMs = try admit(query)
    let filter = try FeedFilter(query)
    _ = try revision()
    // A browser that reconnects sends the header and its first URL. The header is newer than the URL's parameter.
    let last = request.headers[.lastEventID] ?? query["lastEventId"] ?? ""
    return try streams.response(after: EventID(last.trimmedLine), filter, context, endMs: endMs)
  }

  /// Checks the ticket. Returns the time at which the access ends, in milliseconds since 1970. Nil for a public map.
  private func admit(_ query: Query) throws -> Int64? {
    guard mapAccess.isMembersOnly else { return nil }
    guard let endMs = mapAccess.tickets?.end(of: query["ticket"] ?? "", unixMs: WallClock.unixMs) else {
      throw Problem(
        .unauthorized, "ticket_required",
        "the map is members-only; log in at ingest, and send the ticket of its /v2/page")
    }
    return endMs
  }

  private func revision() throws -> ListRevision {
    if let revision = latest.revision { return revision }
    throw Problem.feedUnavailable
  }

  /// Headers of the preflight response, for pages that send custom headers. `EventSource` sends no preflight, but its
  /// substitutes do.
  private static let preflight: HTTPFields = [
    .accessControlAllowMethods: "GET, HEAD", .accessControlAllowHeaders: "Cache-Control, If-None-Match, Last-Event-ID",
    .accessControlMaxAge: "86400", .allow: "GET, HEAD, OPTIONS",
  ]
}

/// Middleware that lets pages of every origin read every response, including errors.
struct PublicOriginMiddleware: RouterMiddleware {
  typealias Context = ConnectionContext

  func handle(
    _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    var response = try await next(request, context)
    for field in Self.fields { response.headers.append(field) }
    return response
  }

  private static let fields = [
    HTTPField(name: .accessControlAllowOrigin, value: "*"),
    HTTPField(name: .accessControlExposeHeaders, value: "ETag, Retry-After"),
  ]
}

extension HTTPField.Name {
  fileprivate static let lastEventID = Self("Last-Event-ID")!
}
