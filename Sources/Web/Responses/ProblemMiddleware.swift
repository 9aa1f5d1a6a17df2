package import HTTPTypes
package import Hummingbird
import Logging

/// Middleware that turns every error into a problem and adds the security headers to every response. Only middleware
/// that throws no errors may surround it.
package struct ProblemMiddleware: RouterMiddleware {
  /// Context of every router in this project.
  package typealias Context = ConnectionContext

  private let problem: @Sendable (any Error) -> Problem?
  private let form: ProblemFormat
  private let isSecure: Bool

  /// Creates the middleware of a service.
  ///
  /// - Parameters:
  ///   - problem: Maps a service's own errors. Returns nil for all other errors.
  ///   - form: The format of the problems.
  ///   - isSecure: True if clients reach the service by TLS. Responses then tell browsers to use TLS always.
  package init(
    _ problem: @escaping @Sendable (any Error) -> Problem?,
    form: @escaping ProblemFormat = { _, _ in nil }, isSecure: Bool = false
  ) {
    self.isSecure = isSecure
    self.problem = problem
    self.form = form
  }

  /// Witness of `RouterMiddleware`.
  package func handle(
    _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    var response: Response
    do { response = try await next(request, context) } catch is CancellationError { throw CancellationError() } catch {
      let problem =
        (error as? Problem) ?? problem(error)
        ?? Problem((error as? any HTTPResponseError)?.status ?? .internalServerError)
      // Do not log a problem that a route throws on purpose ("busy"), because it would fill the log under high load. A
      // full disk and a database that is away have log lines of their own.
      if problem.status.kind == .serverError, !problem.isLoggedOnce, !(error is Problem) {
        context.logger.error(
          "request failed",
          metadata: ["method": "\(request.method)", "path": "\(request.uri.path)", "error": "\(error)"])
      }
      response = problem.response(in: form, at: request.uri.path)
    }
    response.headers.addSecurityHeaders(isSecure: isSecure)
    return response
  }
}

extension HTTPFields {
  /// Adds the security headers. A content security policy that a page has set remains.
  ///
  /// - Parameter isSecure: True if clients reach the service by TLS.
  package mutating func addSecurityHeaders(isSecure: Bool = false) {
    if !contains(.cacheControl) { append(HTTPFields.noStore) }
    if !contains(.contentSecurityPolicy) { append(HTTPFields.nothing) }
    for field in HTTPFields.securityHeaders { append(field) }
    if isSecure { append(HTTPFields.transport) }
  }

  private static let noStore = HTTPField(name: .cacheControl, value: "no-store")
  private static let securityHeaders = [
    HTTPField(name: .xContentTypeOptions, value: "nosniff"), HTTPField(name: .referrerPolicy, value: "no-referrer"),
    HTTPField(name: .crossOriginOpenerPolicy, value: "same-origin"),
    // Browsers then refuse requests without CORS too, such as those for an image or a script.
    HTTPField(name: .crossOriginResourcePolicy, value: "same-origin"),
  ]
  private static let nothing = HTTPField(
    name: .contentSecurityPolicy, value: "default-src 'none'; frame-ancestors 'none'")
  /// Demand for TLS during two years. The preload lists of browsers require at least one year. (RFC 6797.)
  private static let transport = HTTPField(name: .strictTransportSecurity, value: "max-age=63072000")
}

extension HTTPResponse.Status {
  /// 507: the server's disk is full. (RFC 4918, 11.5.)
  package static let insufficientStorage = Self(code: 507, reasonPhrase: "Insufficient Storage")
}

extension HTTPField.Name {
  static let referrerPolicy = Self("Referrer-Policy")!
  static let crossOriginOpenerPolicy = Self("Cross-Origin-Opener-Policy")!
  static let crossOriginResourcePolicy = Self("Cross-Origin-Resource-Policy")!
}
