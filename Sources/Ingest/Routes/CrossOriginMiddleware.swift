import HTTPTypes
import Hummingbird
import Web

/// Middleware that lets pages of `Site.allowedOrigins` use the API from a browser. The pages need a bearer token,
/// because browsers send no cookies. By default no other origin may use the API. (WHATWG Fetch, section 3.3.)
struct CrossOriginMiddleware: RouterMiddleware {
  typealias Context = ConnectionContext

  let site: Site

  func handle(
    _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    guard !site.allowedOrigins.isEmpty else { return try await next(request, context) }
    let origin = request.headers[.origin].flatMap { site.allowedOrigins.contains($0) ? $0 : nil }
    var response: Response
    if let origin, request.method == .options, request.headers[.accessControlRequestMethod] != nil {
      response = Response(status: .noContent, headers: CrossOriginMiddleware.preflight)
      response.headers[.accessControlAllowOrigin] = origin
    } else {
      response = try await next(request, context)
      if let origin {
        response.headers[.accessControlAllowOrigin] = origin
        response.headers[.accessControlExposeHeaders] = CrossOriginMiddleware.exposed
      }
    }
    // A cache must not give one origin's response to another.
    response.headers.append(HTTPField(name: .vary, value: "Origin"))
    return response
  }

  private static let preflight: HTTPFields = [
    .accessControlAllowMethods: "GET, POST, PUT, PATCH, DELETE",
    .accessControlAllowHeaders: "Authorization, Content-Type, Idempotency-Key, If-None-Match, Prefer, Traceparent",
    // The longest time that browsers accept.
    .accessControlMaxAge: "86400",
  ]
  private static let exposed = "ETag, Location, Retry-After, Idempotency-Replayed, Preference-Applied"
}
