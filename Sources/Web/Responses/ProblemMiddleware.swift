package import HTTPTypes
package import Hummingbird
import Logging

/// The outermost layer: every error becomes a problem, and every answer carries the headers that browsers need to be
/// careful with it.
package struct ProblemMiddleware: RouterMiddleware {
  /// Of every router here.
  package typealias Context = ConnectionContext

  private let problem: @Sendable (any Error) -> Problem?
  private let form: ProblemFormat
  private let isSecure: Bool

  /// - Parameters:
  ///   - problem: what a service's own errors mean; nil for those that are not its own.
  ///   - form: of the answers.
  ///   - isSecure: whether people reach the service by TLS; browsers are then told to do so always.
  package init(
    _ problem: @escaping @Sendable (any Error) -> Problem?,
    form: @escaping ProblemFormat = { _, _ in nil }, isSecure: Bool = false
  ) {
    self.isSecure = isSecure
    self.problem = problem
    self.form = form
  }

  /// As the HTTP library asks for it.
  package func handle(
    _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    var response: Response
    do { response = try await next(request, context) } catch is CancellationError { throw CancellationError() } catch {
      let problem =
        (error as? Problem) ?? problem(error)
        ?? Problem((error as? any HTTPResponseError)?.status ?? .internalServerError)
      // An answer that a route gives on purpose ("busy") would only fill the log when there is most to do. A full disk
      // has a line of its own, once a minute.
      if problem.status.kind == .serverError, problem.status != .insufficientStorage, !(error is Problem) {
        context.logger.error(
          "request failed",
          metadata: ["method": "\(request.method)", "path": "\(request.uri.path)", "error": "\(error)"])
      }
      response = problem.response(in: form, at: request.uri.path)
    }
    response.headers.addSecurityHeaders()
    if isSecure { response.headers.append(HTTPFields.transport) }
    return response
  }
}

extension HTTPFields {
  /// What makes browsers careful with an answer. A page brings its own policy of what it may load.
  mutating func addSecurityHeaders() {
    if !contains(.cacheControl) { append(HTTPFields.noStore) }
    if !contains(.contentSecurityPolicy) { append(HTTPFields.nothing) }
    for field in HTTPFields.securityHeaders { append(field) }
  }

  private static let noStore = HTTPField(name: .cacheControl, value: "no-store")
  private static let securityHeaders = [
    HTTPField(name: .xContentTypeOptions, value: "nosniff"), HTTPField(name: .referrerPolicy, value: "no-referrer"),
    HTTPField(name: .crossOriginOpenerPolicy, value: "same-origin"),
    // For what is asked without CORS, as an image or a script: no answer here is either.
    HTTPField(name: .crossOriginResourcePolicy, value: "same-origin"),
  ]
  private static let nothing = HTTPField(
    name: .contentSecurityPolicy, value: "default-src 'none'; frame-ancestors 'none'")
  /// Two years, as the lists that browsers come with ask for one at least. (RFC 6797.)
  fileprivate static let transport = HTTPField(name: .strictTransportSecurity, value: "max-age=63072000")
}

extension HTTPResponse.Status {
  /// The server's disk is full: RFC 4918, 11.5.
  package static let insufficientStorage = Self(code: 507, reasonPhrase: "Insufficient Storage")
}

extension HTTPField.Name {
  static let referrerPolicy = Self("Referrer-Policy")!
  static let crossOriginOpenerPolicy = Self("Cross-Origin-Opener-Policy")!
  static let crossOriginResourcePolicy = Self("Cross-Origin-Resource-Policy")!
}
