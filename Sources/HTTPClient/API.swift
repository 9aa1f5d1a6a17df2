package import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Ingest's HTTP API, for tools that send a request now and then.
package struct API: Sendable {
  /// What came back.
  package struct Answer: Sendable {
    /// The status of the response, 0 where it is not HTTP.
    package let status: Int
    package let body: Data

    /// A member of the body.
    package func text(_ name: String) -> String? {
      guard let object = try? JSONSerialization.jsonObject(with: body) as? [String: Any] else { return nil }
      return object[name] as? String
    }

    /// A problem's own words, or the status.
    package var problem: String { text("detail") ?? "the server answered \(status)" }
  }

  /// Timeout of one request, in seconds. The longest that ingest may take is half of it: `Prefer: wait=30`.
  package static let requestSeconds = 60.0

  /// The address that paths are relative to.
  package let base: URL
  /// The session's token, sent with every request; nil for none.
  package var token: String?

  package init(_ base: URL, token: String? = nil) {
    self.base = base
    self.token = token
  }

  /// Sends one request and waits for its answer, `requestSeconds` at most.
  ///
  /// - Parameter path: added to the base; nil for the base itself.
  /// - Throws: what the network says; try again when it is there.
  package func send(
    _ method: String, path: String?, headers: [String: String] = [:], json: [String: Any]? = nil
  ) async throws -> Answer {
    guard let url = path.map({ URL(string: $0, relativeTo: base) }) ?? base else { throw URLError(.badURL) }
    var request = URLRequest(url: url, timeoutInterval: API.requestSeconds)
    request.httpMethod = method
    for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
    if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
    if let json {
      request.setValue("application/json", forHTTPHeaderField: "Content-Type")
      request.httpBody = try JSONSerialization.data(withJSONObject: json)
    }
    // The session's own async form can hang when its task is cancelled while an answer arrives.
    return try await withCheckedThrowingContinuation { continuation in
      URLSession.shared.dataTask(with: request) { body, response, error in
        if let error { return continuation.resume(throwing: error) }
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        continuation.resume(returning: Answer(status: status, body: body ?? Data()))
      }.resume()
    }
  }
}
