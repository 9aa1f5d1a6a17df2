import Foundation
import FoundationNetworking
import Testing

/// An HTTP response.
struct APIResponse: Sendable {
  let status: Int
  /// The header fields by lower-case name.
  let headers: [String: String]
  let body: Data

  /// A text member of the body.
  subscript(_ name: String) -> String? { object[name] as? String }

  /// Each cookie that the response sets, with its attributes. A comma within `Expires` does not separate cookies.
  var setCookies: [String] {
    (headers["set-cookie"] ?? "").split(separator: #/, (?=[^;, ]+=)/#).map(String.init)
  }

  func number(_ name: String) throws -> Double { try #require(object[name] as? NSNumber).doubleValue }

  var object: [String: Any] { (try? JSONSerialization.jsonObject(with: body) as? [String: Any]) ?? [:] }

  func decoded<Value: Decodable>(_ type: Value.Type) throws -> Value {
    #expect(status == 200)
    return try JSONDecoder().decode(type, from: body)
  }
}

/// A post in its owner's view.
struct Post: Decodable, Sendable {
  struct Reason: Decodable, Sendable {
    let code: String
    let detail: String
  }

  let id: String
  let state: String
  let place: String
  let label: String?
  let seq: UInt64?
  let reason: Reason?
}

/// An HTTP client of a service.
struct Client: Sendable {
  let base: String
  /// The bearer token, if any.
  var token: String?

  init(_ base: String) { self.base = base }

  var port: UInt16 { get throws { try #require(UInt16(base.split(separator: ":").last ?? "")) } }

  private static let session: URLSession = {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpMaximumConnectionsPerHost = 64
    configuration.httpShouldSetCookies = false
    configuration.httpCookieAcceptPolicy = .never
    configuration.urlCache = nil
    configuration.timeoutIntervalForRequest = 120
    return URLSession(configuration: configuration)
  }()

  func send(
    _ method: String, _ path: String, body: String? = nil, headers: [String: String] = [:]
  ) async throws -> APIResponse {
    guard let url = URL(string: base + path) else { throw URLError(.badURL) }
    var request = URLRequest(url: url)
    request.httpMethod = method
    request.httpBody = body.map { Data($0.utf8) }
    if body != nil { request.setValue("application/json", forHTTPHeaderField: "Content-Type") }
    if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
    for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
    // Avoid `data(for:)`: Foundation on Linux deadlocks if the task is cancelled at the moment of a response.
    return try await withCheckedThrowingContinuation { continuation in
      Client.session.dataTask(with: request) { body, response, error in
        guard let response = response as? HTTPURLResponse else {
          return continuation.resume(throwing: error ?? URLError(.badServerResponse))
        }
        let fields = response.allHeaderFields.map { ("\($0.key)".lowercased(), "\($0.value)") }
        let headers = Dictionary(fields) { $0 + ", " + $1 }
        continuation.resume(returning: APIResponse(status: response.statusCode, headers: headers, body: body ?? Data()))
      }.resume()
    }
  }

  func get(_ path: String, headers: [String: String] = [:]) async throws -> APIResponse {
    try await send("GET", path, headers: headers)
  }

  static let password = "correct horse battery"

  /// Signs up. Returns the client with the new account's session.
  func signedUp(as email: String = "ada@example.org") async throws -> Client {
    let response = try await signUp(email)
    #expect(response.status == 201)
    var client = self
    let token = try #require(response["token"])
    client.token = token
    return client
  }

  func signUp(_ email: String, password: String = Client.password) async throws -> APIResponse {
    let body = JSON.object(["email": email, "password": password, "firstName": "Ada", "lastName": "Lovelace"])
    return try await send("POST", "/v2/accounts", body: body)
  }

  func logIn(_ email: String, password: String = Client.password) async throws -> APIResponse {
    try await send("POST", "/v2/session", body: JSON.object(["email": email, "password": password]))
  }

  /// - Parameter wait: The longest time to wait for the post's outcome, in seconds.
  func post(
    _ place: String, link: String = "https://example.org/ada", key: String? = nil, wait: Int? = nil,
    headers: [String: String] = [:]
  ) async throws -> APIResponse {
    var headers = headers
    if let key { headers["Idempotency-Key"] = key }
    if let wait { headers["Prefer"] = "wait=\(wait)" }
    return try await send("POST", "/v2/posts", body: JSON.object(["place": place, "link": link]), headers: headers)
  }

  /// Changes a post's place and link.
  func edit(
    _ id: String, _ place: String, link: String = "https://example.org/ada", headers: [String: String] = [:]
  ) async throws -> APIResponse {
    try await send(
      "PUT", "/v2/posts/\(id)", body: JSON.object(["place": place, "link": link]), headers: headers)
  }

  func delete(_ id: String, headers: [String: String] = [:]) async throws -> APIResponse {
    try await send("DELETE", "/v2/posts/\(id)", headers: headers)
  }

  /// Returns all of the caller's posts, oldest first.
  func posts() async throws -> [Post] {
    struct Page: Decodable {
      let posts: [Post]
      let next: String?
    }
    var posts: [Post] = []
    var path: String? = "/v2/posts?limit=1000"
    while let next = path {
      let page = try await get(next).decoded(Page.self)
      posts += page.posts
      path = page.next.map { "/v2/posts?limit=1000&after=\($0)" }
    }
    return posts
  }

  /// Returns the public list.
  func list() async throws -> FeedList { try await get("/v2/feed").decoded(FeedList.self) }

  /// Checks that the service publishes a post. Waits as long as ingest allows, for busy machines.
  func expectService(sourceLocation: SourceLocation = #_sourceLocation) async throws {
    let response = try await post("Costa Rica", wait: 30)
    #expect(response.status == 200 && response["state"] == "published", sourceLocation: sourceLocation)
  }
}

enum JSON {
  static func object(_ members: [String: Any]) -> String {
    let data = (try? JSONSerialization.data(withJSONObject: members)) ?? Data()
    return String(decoding: data, as: UTF8.self)
  }
}
