package import Foundation

/// Ingest's HTTP API, for tools that send a request now and then.
package struct API: Sendable {
  /// An answer of the server.
  package struct Response: Sendable {
    /// Members that tools show to people; nil where the body does not have them.
    package struct Members: Decodable, Sendable {
      /// The reason why a post was rejected or is dead.
      package struct Reason: Decodable, Sendable {
        /// A sentence for people.
        package let detail: String?
      }

      /// Members of a post, of a session and of a problem.
      package var id, state, label, token, code, detail: String?
      /// Reason of a post that is rejected or dead; nil of others.
      package var reason: Reason?
    }

    /// The status code of HTTP, also an error's.
    package let status: Int
    /// The whole body, `APILimits.bodyBytesMax` at most.
    package let body: Data

    /// The body's members; none of them where the body is no JSON object.
    package var members: Members { (try? JSONDecoder().decode(Members.self, from: body)) ?? Members() }

    /// The detail of a problem (RFC 9457), or the status.
    package var problem: String { members.detail ?? "the server answered \(status)" }
  }

  /// Client of all tools of a process. It is never ended: the process ends with it.
  private static let fetch = HTTPFetch(headers: [:], bounds: APILimits.bounds)

  /// The address that paths are relative to.
  package let base: URL
  /// The session's token, sent with every request; nil for none.
  package var token: String?

  package init(_ base: URL, token: String? = nil) {
    self.base = base
    self.token = token
  }

  /// Sends one request and waits for its answer, `APILimits.totalMs` at most.
  ///
  /// - Parameters:
  ///   - path: added to the base; nil for the base itself.
  ///   - json: members of the body; nil for a request without one.
  /// - Throws: if the server cannot be reached; the same request may be tried again.
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
    let answer = try await API.fetch.send(method, url, headers: headers, body: body)
    return Response(status: answer.status, body: answer.body)
  }
}
