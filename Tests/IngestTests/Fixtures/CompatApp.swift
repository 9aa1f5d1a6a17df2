import Foundation
import Testing

/// An app written for the original service. The app keeps cookies, removes the five bytes, and reads the fields that it
/// needs.
final class CompatApp {
  /// The paths of the original service in one of its versions.
  struct Family: Sendable, CustomTestStringConvertible {
    let session: String
    let users: String
    let list: String

    var testDescription: String { "\(session), \(list)" }

    static let all = [
      Family(session: "/v1/session", users: "/v1/users", list: "/v1/StudentLocation"),
      Family(session: "/api/session", users: "/api/users", list: "/parse/classes/StudentLocation"),
      Family(session: "/api/session", users: "/api/users", list: "/1/classes/StudentLocation"),
    ]
  }

  private(set) var client: Client
  let family: Family
  private(set) var cookies: [String: String] = [:]
  /// The cookies of the last response, with their attributes.
  private(set) var setCookies: [String] = []

  init(_ client: Client, _ family: Family = Family.all[0]) {
    self.client = client
    self.family = family
  }

  /// Returns the app, with its cookies, connected to another client's ingest.
  func moved(to client: Client) -> CompatApp {
    self.client = client
    return self
  }

  /// - Parameter cookie: True to send the stored cookies.
  func send(
    _ method: String, _ path: String, _ body: String? = nil, headers: [String: String] = [:], cookie: Bool = true
  ) async throws -> APIResponse {
    var headers = headers
    if cookie, !cookies.isEmpty { headers["Cookie"] = cookies.map { "\($0)=\($1)" }.joined(separator: "; ") }
    let response = try await client.send(method, path, body: body, headers: headers)
    setCookies = response.setCookies
    for set in setCookies {
      let pair = set.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      cookies[String(pair[0])] = pair.count > 1 && !pair[1].isEmpty ? String(pair[1]) : nil
    }
    return response
  }

  static func credentials(_ email: String, _ password: String = Client.password) -> String {
    JSON.object(["udacity": ["username": email, "password": password]])
  }

  @discardableResult
  func logIn(_ email: String = "ada@example.org", password: String = Client.password) async throws -> APIResponse {
    try await send("POST", family.session, Self.credentials(email, password))
  }

  func logOut() async throws -> APIResponse {
    let token = cookies["XSRF-TOKEN"].map { ["X-XSRF-TOKEN": $0] } ?? [:]
    return try await send("DELETE", family.session, headers: token)
  }

  func user(_ id: String) async throws -> APIResponse { try await send("GET", "\(family.users)/\(id)") }

  private static let location: [String: any Sendable] = [
    "uniqueKey": "1234", "firstName": "John", "lastName": "Doe", "mapString": "Mountain View, CA",
    "mediaURL": "https://udacity.com", "latitude": 37.386052, "longitude": -122.083851,
  ]

  /// - Parameter changes: Members to replace. Null removes a member.
  static func location(_ changes: [String: Any]) -> String {
    JSON.object((location as [String: Any]).merging(changes) { $1 }.filter { !($0.value is NSNull) })
  }

  /// Creates a post and waits until it is settled. On a slow machine ingest ends its own wait after two seconds.
  @discardableResult
  func post(_ changes: [String: Any] = [:]) async throws -> APIResponse {
    let response = try await send("POST", family.list, Self.location(changes))
    if let id = response["objectId"] { try await client.fixture.settle(id) }
    return response
  }

  func put(_ id: String, _ changes: [String: Any] = [:]) async throws -> APIResponse {
    try await send("PUT", "\(family.list)/\(id)", Self.location(changes))
  }

  /// - Parameter query: The percent-encoded query.
  func list(_ query: String = "limit=100&order=-updatedAt") async throws -> [[String: Any]] {
    let response = try await send("GET", "\(family.list)?\(query)")
    #expect(response.status == 200 && response.body.first == UInt8(ascii: "{"))
    return try #require(response.object["results"] as? [[String: Any]])
  }

  static func encoded(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
  }
}

extension APIResponse {
  /// Returns the JSON object after the five bytes, which must be there.
  func guarded(sourceLocation: SourceLocation = #_sourceLocation) throws -> [String: Any] {
    #expect(Array(body.prefix(6)) == Array(")]}'\n{".utf8), sourceLocation: sourceLocation)
    let object = try JSONSerialization.jsonObject(with: body.dropFirst(5))
    return try #require(object as? [String: Any], sourceLocation: sourceLocation)
  }

  /// Returns true if the response is an error in Parse's form, with the HTTP status as an additional member.
  func isParseError(_ status: Int, _ code: Int, _ text: String? = nil) -> Bool {
    self.status == status && object["code"] as? Int == code && object["status"] as? Int == status
      && (object["error"] as? String)?.isEmpty == false && (text == nil || object["error"] as? String == text)
  }
}

extension IngestFixture {
  /// Returns an app that is logged in to an account.
  func app(_ family: CompatApp.Family = CompatApp.Family.all[0], _ email: String = "ada@example.org") async throws
    -> CompatApp
  {
    _ = try await account(email)
    let app = CompatApp(client, family)
    #expect(try await app.logIn(email).status == 200)
    return app
  }
}
