package import Foundation

/// Ingest's HTTP API for tools that send occasional requests.
package struct API: Sendable {
  /// A response of the server.
  package struct Response: Sendable {
    /// Members that tools show to people. Nil if the body lacks them.
    package struct Members: Decodable, Sendable {
      /// The reason why a post was rejected or is dead.
      package struct Reason: Decodable, Sendable {
        /// Explanation for people: one sentence.
        package let detail: String?
      }

      /// Members of a post, of a session and of a problem.
      package var id, state, label, token, code, detail: String?
      /// Reason of a post that is rejected or dead, else nil.
      package var reason: Reason?
    }

    /// HTTP status code, also of an error.
    package let status: Int
    /// Whole body, at most `APILimits.bodyBytesMax`.
    package let body: Data

    /// Members of the body. All are nil if the body is no JSON object.
    package var members: Members { (try? JSONDecoder().decode(Members.self, from: body)) ?? Members() }

    /// Detail of a problem (RFC 9457), or the status.
    package var problem: String { members.detail ?? "the server responded with status \(status)" }
  }

  /// Client of all tools of a process, which lives as long as the process.
  private static let fetch = HTTPFetch(headers: [:], bounds: APILimits.bounds)

  /// Base URL of paths.
  package let base: URL
  /// Session token, which is sent with every request. Nil for none.
  package var token: String?

  package init(_ base: URL, token: String? = nil) {
    self.base = base
    self.token = token
  }

  /// Sends one request and waits for its response, at most `APILimits.totalMs`.
  ///
  /// - Parameters:
  ///   - path: path relative to the base. Nil for the base itself.
  ///   - json: members of the body. Nil for a request without a body.
  /// - Throws: the reason why the server could not be reached. The same request may be retried.
  package func send(
    _ method: String, path: String?, headers: [String: String] = [:], json: [String: String]? = nil
  ) async throws(FetchFailure) -> Response {
    guard let url = path.map({ URL(string: $0, relativeTo: base) }) ?? base else { throw .malformed }
    var headers = headers
    if let token { headers["Authorization"] = "Bearer \(token)" }
    var body: Data?
    if let json {
      headers["Content-Type"] = "application/json"
      body = try? JSONEncoder().encode(json)
    }
    let response = try await API.fetch.send(method, url, headers: headers, body: body)
    return Response(status: response.status, body: response.body)
  }
}
