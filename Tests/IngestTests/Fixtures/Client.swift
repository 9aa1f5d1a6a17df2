import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing

/// A client of ingest's routes.
struct Client: Sendable {
  /// The site's origin, as the routes see it.
  static let base = "http://localhost"
  static let password = "correct horse battery"

  let fixture: IngestFixture
  /// The routes that the client uses: ingest's own, or those of a gateway.
  var application: Application<LoopbackResponder>
  /// The bearer token, if any.
  var token: String?

  init(_ fixture: IngestFixture, token: String? = nil) {
    self.fixture = fixture
    self.application = fixture.application
    self.token = token
  }

  func send(
    _ method: String, _ path: String, body: String? = nil, headers: [String: String] = [:]
  ) async throws -> APIResponse {
    var fields = HTTPFields()
    if body != nil { fields[.contentType] = "application/json" }
    if let token { fields[.authorization] = "Bearer \(token)" }
    for (name, value) in headers { fields[try #require(HTTPField.Name(name))] = value }
    let method = try #require(HTTPRequest.Method(method))
    let response = try await application.test(.router) { [fields] client in
      try await client.execute(uri: path, method: method, headers: fields, body: body.map(ByteBuffer.init(string:)))
    }
    let headers = response.headers.map { ($0.name.canonicalName, $0.value) }
    return APIResponse(
      status: response.status.code, headers: Dictionary(headers) { $0 + ", " + $1 },
      body: Data(response.body.readableBytesView))
  }

  func get(_ path: String, headers: [String: String] = [:]) async throws -> APIResponse {
    try await send("GET", path, headers: headers)
  }

  /// Returns the client with a session of an account. Creates the account if it is missing, without the computation of
  /// a password hash.
  func signedUp(as email: String = "ada@example.org") async throws -> Client {
    var client = self
    client.token = try await fixture.session(of: try await fixture.account(email))
    return client
  }

  /// Returns the client with another session's token.
  func with(token: String?) -> Client { Client(fixture, token: token) }

  func signUp(_ email: String, password: String = Client.password) async throws -> APIResponse {
    let body = JSON.object(["email": email, "password": password, "firstName": "Ada", "lastName": "Lovelace"])
    return try await send("POST", "/v2/accounts", body: body)
  }

  func logIn(_ email: String, password: String = Client.password) async throws -> APIResponse {
    try await send("POST", "/v2/session", body: JSON.object(["email": email, "password": password]))
  }

  /// - Parameter wait: The wait in seconds.
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
    try await send("PUT", "/v2/posts/\(id)", body: JSON.object(["place": place, "link": link]), headers: headers)
  }

  func delete(_ id: String, headers: [String: String] = [:]) async throws -> APIResponse {
    try await send("DELETE", "/v2/posts/\(id)", headers: headers)
  }

  /// Returns all of the caller's posts, oldest first.
  func posts() async throws -> [OwnPost] {
    struct Page: Decodable {
      let posts: [OwnPost]
      let next: String?
    }
    var posts: [OwnPost] = []
    var path: String? = "/v2/posts?limit=1000"
    while let next = path {
      let page = try await get(next).decoded(Page.self)
      posts += page.posts
      path = page.next.map { "/v2/posts?limit=1000&after=\($0)" }
    }
    return posts
  }

  /// Returns the public list.
  func list() async throws -> PublicList { try await get("/v2/feed").decoded(PublicList.self) }

  /// Checks that ingest works: posts, waits, and expects a published post.
  func expectService(sourceLocation: SourceLocation = #_sourceLocation) async throws {
    let response = try await post("Costa Rica", wait: 30)
    #expect(response.status == 200 && response["state"] == "published", sourceLocation: sourceLocation)
  }
}

/// A response of ingest's routes.
struct APIResponse: Sendable {
  let status: Int
  /// The header fields by lower-case name.
  let headers: [String: String]
  let body: Data

  /// A text member of the body.
  subscript(_ name: String) -> String? { object[name] as? String }

  var object: [String: Any] { (try? JSONSerialization.jsonObject(with: body) as? [String: Any]) ?? [:] }

  var text: String { String(decoding: body, as: UTF8.self) }

  /// Each cookie that the response sets, with its attributes. A comma within `Expires` does not separate cookies.
  var setCookies: [String] {
    (headers["set-cookie"] ?? "").split(separator: #/, (?=[^;, ]+=)/#).map(String.init)
  }

  func number(_ name: String) throws -> Double { try #require(object[name] as? NSNumber).doubleValue }

  func decoded<Value: Decodable>(_ type: Value.Type) throws -> Value {
    #expect(status == 200)
    return try JSONDecoder().decode(type, from: body)
  }
}

/// A post in its owner's view.
struct OwnPost: Decodable, Sendable {
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

/// The latest posts, in the form of `/v2/feed`.
struct PublicList: Decodable, Sendable, Equatable {
  struct Entry: Decodable, Sendable, Equatable {
    let id: String
    let seq: UInt64
    let firstName: String
    let place: String
    let label: String
    let link: String
    let latitude: Double
    let longitude: Double
  }

  let epoch: String
  let seq: UInt64
  let stateHash: String
  /// The entries, newest first.
  let entries: [Entry]
}

enum JSON {
  static func object(_ members: [String: Any]) -> String {
    let data = (try? JSONSerialization.data(withJSONObject: members)) ?? Data()
    return String(decoding: data, as: UTF8.self)
  }
}
