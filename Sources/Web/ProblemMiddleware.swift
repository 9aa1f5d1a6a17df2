import HTTPTypes
package import Hummingbird
import Logging

/// The outermost layer: every error becomes a problem, and every answer carries the headers that browsers need to be
/// careful with it.
package struct ProblemMiddleware: RouterMiddleware {
  /// Of every router here.
  package typealias Context = ConnectionContext

  private let problem: @Sendable (any Error) -> Problem?

  /// - Parameter problem: what a service's own errors mean; nil for those that are not its own.
  package init(_ problem: @escaping @Sendable (any Error) -> Problem?) { self.problem = problem }

  /// As the HTTP library asks for it.
  package func handle(
    _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    var response: Response
    do { response = try await next(request, context) } catch is CancellationError { throw CancellationError() } catch {
      let problem =
        (error as? Problem) ?? problem(error)
        ?? Problem((error as? any HTTPResponseError)?.status ?? .internalServerError)
      // What a route answers on purpose ("busy") would only fill the log when there is most to do.
      if problem.status.kind == .serverError, !(error is Problem) {
        context.logger.error(
          "request failed",
          metadata: ["method": "\(request.method)", "path": "\(request.uri.path)", "error": "\(error)"])
      }
      response = problem.response
    }
    response.headers.addCaution()
    return response
  }
}

extension HTTPFields {
  /// What makes browsers careful with an answer.
  mutating func addCaution() {
    if !contains(.cacheControl) { append(HTTPFields.noStore) }
    for field in HTTPFields.caution { append(field) }
  }

  private static let noStore = HTTPField(name: .cacheControl, value: "no-store")
  private static let caution = [
    HTTPField(name: .xContentTypeOptions, value: "nosniff"), HTTPField(name: .referrerPolicy, value: "no-referrer"),
    HTTPField(name: .contentSecurityPolicy, value: "default-src 'none'; frame-ancestors 'none'"),
  ]
}

extension HTTPField.Name {
  static let referrerPolicy = Self("Referrer-Policy")!
}
