import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Ingest's HTTP API, for commands that send a request now and then.
struct API: Sendable {
  /// What came back.
  struct Answer: Sendable {
    let status: Int
    let body: Data

    /// A member of the body.
    func text(_ name: String) -> String? {
      guard let object = try? JSONSerialization.jsonObject(with: body) as? [String: Any] else { return nil }
      return object[name] as? String
    }

    /// A problem's own words, or the status.
    var problem: String { text("detail") ?? "the server answered \(status)" }
  }

  let base: URL
  var token: String?

  init(_ base: URL, token: String? = nil) {
    self.base = base
    self.token = token
  }

  /// - Parameter path: added to the base; nil for the base itself.
  /// - Throws: what the network says; try again when it is there.
  func send(
    _ method: String, path: String?, headers: [String: String] = [:], json: [String: Any]? = nil
  ) async throws -> Answer {
    guard let url = path.map({ URL(string: $0, relativeTo: base) }) ?? base else { throw URLError(.badURL) }
    var request = URLRequest(url: url, timeoutInterval: 60)
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

extension Settings {
  /// The server that a tool talks to.
  func server(flag: String?) throws -> URL {
    let text = text(.server, flag: flag, default: "http://127.0.0.1:8080")
    guard let url = URL(string: text), url.host != nil, url.scheme == "http" || url.scheme == "https" else {
      throw SettingError(.server, expected: "an address such as http://127.0.0.1:8080", came: text)
    }
    return url
  }
}
