import HTTPTypes
import Hummingbird
import Web

/// Middleware that lets pages of `Site.allowedOrigins` use the API from a browser.
struct CrossOriginMiddleware: RouterMiddleware {
  typealias Context = ConnectionContext

  let policy: CrossOriginPolicy

  func handle(
    _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    if let preflight = policy.preflightResponse(to: request) { return preflight }
    var response = try await next(request, context)
    policy.addHeaders(to: &response, for: request)
    return response
  }
}

/// The CORS headers of the API, which ingest and gateways share. Pages of other sites need a bearer token, because
/// browsers send no cookies. By default no other origin may use the API. (WHATWG Fetch, section 3.3.)
struct CrossOriginPolicy: Sendable {
  /// Origins of other sites whose pages may use the API.
  let allowedOrigins: Set<String>

  /// Returns the response to a preflight request of an allowed origin. Nil for any other request.
  func preflightResponse(to request: Request) -> Response? {
    guard let origin = allowedOrigin(of: request), request.method == .options,
      request.headers[.accessControlRequestMethod] != nil
    else { return nil }
    var response = Response(status: .noContent, headers: CrossOriginPolicy.preflight)
    response.headers[.accessControlAllowOrigin] = origin
    response.headers.append(CrossOriginPolicy.vary)
    return response
  }

  /// Adds the headers to any other response.
  func addHeaders(to response: inout Response, for request: Request) {
    guard !allowedOrigins.isEmpty else { return }
    if let origin = allowedOrigin(of: request) {
      response.headers[.accessControlAllowOrigin] = origin
      response.headers[.accessControlExposeHeaders] = CrossOriginPolicy.exposed
    }
    response.headers.append(CrossOriginPolicy.vary)
  }

  private func allowedOrigin(of request: Request) -> String? {
    guard let origin = request.headers[.origin], allowedOrigins.contains(origin) else { return nil }
    return origin
  }

  private static let preflight: HTTPFields = [
    .accessControlAllowMethods: "GET, POST, PUT, PATCH, DELETE",
    .accessControlAllowHeaders: "Authorization, Content-Type, Idempotency-Key, If-None-Match, Prefer, Traceparent",
    // The longest time that browsers accept.
    .accessControlMaxAge: "86400",
  ]
  private static let exposed = "ETag, Location, Retry-After, Idempotency-Replayed, Preference-Applied"
  /// A cache must not give one origin's response to another.
  private static let vary = HTTPField(name: .vary, value: "Origin")
}
