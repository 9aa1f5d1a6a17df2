package import Foundation

/// Ingest's HTTP API for tools that send occasional requests.
package struct API: Sendable {
  /// A response of the server.
  package struct Response: Sendable {
    /// Members that tools show to people. Nil if the body lacks them.
    package struct Members: Decodable, Sendable {
      /// The reason why a post was rejected or is dead.
      package struct Reason: Decodable, Sendable {
        /// The reason in one sentence, for people.
        package let detail: String?
      }

      /// Members of a post, of a session and of a problem.
      package var id, state, label, token, code, detail: String?
      /// Reason of a rejected or dead post. Nil for any other body.
      package var reason: Reason?
    }

    /// HTTP status code of a success or an error.
    package let status: Int
    /// Complete body of at most `APILimits.bodyBytesMax` bytes.
    package let body: Data

    /// Members of the body. All are nil if the body is not a JSON object, or a member has another type.
    package var members: Members { (try? JSONDecoder().decode(Members.self, from: body)) ?? Members() }

    /// Detail of the problem (RFC 9457). Without a detail, a text with the status.
    package var problem: String { members.detail ?? "the server responded with status \(status)" }
  }

  /// HTTP client that all tools of a process share. It lives as long as the process.
  private static let fetch = HTTPFetch(headers: [:], bounds: APILimits.bounds)

  /// Base URL against which `send` resolves paths.
  package let base: URL
  /// Session token that `send` adds to every request. Nil adds none.
  package var token: String?

  package init(_ base: URL, token: String? = nil) {
    self.base = base
    self.token = token
  }

  /// Sends a request and waits up to `APILimits.totalMs` milliseconds for its response.
  ///
  /// - Parameters:
  ///   - path: Path relative to the base URL. Nil selects the base URL itself.
  ///   - json: Members of the body. Nil sends no body.
  /// - Throws: `FetchFailure`. The server may have processed the request, so retry a post only with its idempotency
  ///   key.
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
