import Domain
import Foundation
import Testing
import Web

private func text(_ count: Int, of unit: String = "a") -> String { "\"" + String(repeating: unit, count: count) + "\"" }

@Suite("Invalid input", .bothFronts)
struct BadInputTests {
  private static let bodies = [
    BadRequest("", 400, "invalid_json"), BadRequest("{", 400, "invalid_json"), BadRequest("{}}", 400, "invalid_json"),
    BadRequest("place=Oslo&link=example.org", 400, "invalid_json"), BadRequest("\u{1}\u{2}", 400, "invalid_json"),
    BadRequest(String(repeating: "[", count: 16_000), 400, "invalid_json"), BadRequest("NaN", 400, "invalid_json"),
    BadRequest("[]", 422, "wrong_type"), BadRequest("\"Oslo\"", 422, "wrong_type"), BadRequest("7", 422, "wrong_type"),
    BadRequest("null", 422, "wrong_type"), BadRequest("{}", 422, "missing_field", field: "place"),
    BadRequest(#"{"place": "Oslo"}"#, 422, "missing_field", field: "link"),
    BadRequest(#"{"link": "example.org"}"#, 422, "missing_field", field: "place"),
    BadRequest(#"{"place": 7, "link": "example.org"}"#, 422, "wrong_type", field: "place"),
    BadRequest(#"{"place": null, "link": "example.org"}"#, 422, "wrong_type", field: "place"),
    BadRequest(#"{"place": "Oslo", "link": ["example.org"]}"#, 422, "wrong_type", field: "link"),
    BadRequest(#"{"place": "Oslo", "link": "example.org", "latitude": "1"}"#, 422, "wrong_type", field: "latitude"),
    BadRequest(String(repeating: " ", count: 16_385), 413, "body_too_large"),
    BadRequest(
      #"{"place": "Oslo", "link": "example.org"}"# + String(repeating: " ", count: 16_384), 413, "body_too_large"),
  ]

  private static let members =
    [
      text(0), text(3, of: " "), text(257), text(129, of: "é"), text(65, of: "🗺"), #""Os\u0000lo""#, #""Os\nlo""#,
      #""Os\u0007lo""#, #""Os\u202elo""#, #""\u200bOslo""#, #""Os\u007flo""#, #""Os\u2028lo""#,
    ].map { BadRequest("place", $0) }
    + [
      text(0), text(3, of: " "), "\"https://example.org/\(String(repeating: "a", count: 2_029))\"",
      #""javascript:alert(1)""#, #""JavaScript:alert(1)""#, #""data:text/html,x""#, #""ftp://example.org""#,
      #""file:///etc/passwd""#, #""//example.org""#, #""http://""#, #""https:///x""#, #""localhost""#,
      #""https://me:secret@example.org""#, #""https://me@example.org""#, #""https://example.org:0""#,
      #""https://example.org:65536""#, #""https://exa mple.org""#, #""https://example.org/\n""#, #""https://-a.org""#,
      #""https://example.org/<script>""#, #""https://example.org/\u202e""#, #""java\tscript:alert(1)""#,
      #""mailto:a@b.c""#,
    ].map { BadRequest("link", $0) }

  private static let points: [(members: String, field: String)] = [
    (#""latitude":1"#, "longitude"), (#""longitude":1"#, "latitude"), (#""latitude":90.1,"longitude":0"#, "latitude"),
    (#""latitude":-90.1,"longitude":0"#, "latitude"), (#""latitude":0,"longitude":180.1"#, "longitude"),
    (#""latitude":0,"longitude":-1e300"#, "longitude"),
  ]
  private static let coordinates = points.map { members, field in
    BadRequest(#"{"place":"Oslo","link":"example.org",\#(members)}"#, 422, "invalid_\(field)", field: field)
  }

  private static let headers = [
    ("Idempotency-Key", "", "invalid_idempotency_key"),
    ("Idempotency-Key", String(repeating: "k", count: 256), "invalid_idempotency_key"),
  ].map { name, value, code in
    BadRequest("POST", "/v2/posts", body: #"{"place":"Oslo","link":"example.org"}"#, headers: [name: value], 400, code)
  }

  private static let paths = [
    BadRequest("GET", "/v2/nothing", 404, "not_found"), BadRequest("GET", "/%00", 404, "not_found"),
    BadRequest("GET", "/../../etc/passwd", 404, "not_found"),
    BadRequest("GET", "/" + String(repeating: "a", count: 3_000), 404, "not_found"),
    BadRequest("GET", "/v2/posts/xyz", 404, "post_not_found"),
    BadRequest("GET", "/v2/posts/%2e%2e", 404, "post_not_found"),
    BadRequest("GET", "/v2/posts/zzzzzzzzzz", 404, "post_not_found"),
    BadRequest("GET", "/v2/posts?limit=0", 400, "invalid_limit", field: "limit"),
    BadRequest("GET", "/v2/posts?limit=1001", 400, "invalid_limit", field: "limit"),
    BadRequest("GET", "/v2/posts?limit=x", 400, "invalid_limit", field: "limit"),
    BadRequest("GET", "/v2/posts?after=x", 400, "invalid_after", field: "after"),
    BadRequest("GET", "/v2/geocode", 400, "invalid_q", field: "q"),
    BadRequest("GET", "/v2/geocode?q=%20", 400, "invalid_q", field: "q"),
    BadRequest("GET", "/v2/geocode?q=Os%00lo", 400, "invalid_q", field: "q"),
    BadRequest("GET", "/v2/geocode?q=" + String(repeating: "a", count: 257), 400, "invalid_q", field: "q"),
    BadRequest("GET", "/v2/geocode?q=Oslo&limit=21", 400, "invalid_limit", field: "limit"),
    BadRequest("GET", "/v2/geocode?q=Oslo&limit=0", 400, "invalid_limit", field: "limit"),
    BadRequest("GET", "/v2/geocode?q=Oslo&country=USA", 400, "invalid_country", field: "country"),
    BadRequest("GET", "/v2/geocode?q=Oslo&country=1!", 400, "invalid_country", field: "country"),
    BadRequest("GET", "/v2/geocode?q=Oslo&focus=59.9", 400, "invalid_focus", field: "focus"),
    BadRequest("GET", "/v2/geocode?q=Oslo&focus=91,10", 400, "invalid_focus", field: "focus"),
    BadRequest("GET", "/v2/geocode?q=Oslo&lang=norsk", 400, "invalid_lang", field: "lang"),
    BadRequest("GET", "/v2/geocode?q=Oslo&level=town", 400, "invalid_level", field: "level"),
    BadRequest("GET", "/v2/geocode?q=Oslo&autocomplete=maybe", 400, "invalid_autocomplete", field: "autocomplete"),
    BadRequest("GET", "/v2/reverse", 400, "invalid_lat", field: "lat"),
    BadRequest("GET", "/v2/reverse?lat=90.1&lon=0", 400, "invalid_lat", field: "lat"),
    BadRequest("GET", "/v2/reverse?lat=nan&lon=0", 400, "invalid_lat", field: "lat"),
    BadRequest("GET", "/v2/reverse?lat=1", 400, "invalid_lon", field: "lon"),
    BadRequest("GET", "/v2/reverse?lat=1&lon=-180.1", 400, "invalid_lon", field: "lon"),
    BadRequest("GET", "/v2/reverse?lat=1&lon=1&limit=21", 400, "invalid_limit", field: "limit"),
  ]

  private static func account(_ member: String, _ value: String, _ code: String? = nil) -> BadRequest {
    let members = ["email": #""a@example.org""#, "password": text(8), "firstName": "\"Ada\""]
      .merging([member: value]) { $1 }.filter { !$0.value.isEmpty }
    return BadRequest(
      "POST", "/v2/accounts", body: "{" + members.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}", 422,
      code ?? "invalid_\(member)", field: member)
  }

  private static let accounts = [
    account("email", "", "missing_field"), account("email", "7", "wrong_type"), account("email", text(0)),
    account("email", #""ada""#), account("email", #""@example.org""#), account("email", #""ada@""#),
    account("email", #""a@b@c""#), account("email", #""a da@example.org""#),
    account("email", #""a\u0000@example.org""#),
    account("email", "\"a@\(String(repeating: "b", count: 253))\""), account("password", "", "missing_field"),
    account("password", text(7)), account("password", text(1_025)), account("password", "[]", "wrong_type"),
    account("firstName", "", "missing_field"), account("firstName", text(0)), account("firstName", text(2, of: " ")),
    account("firstName", text(101)), account("firstName", text(51, of: "é")), account("firstName", #""A\u0000da""#),
    account("lastName", text(101)), account("lastName", #""A\u202eda""#), account("lastName", "{}", "wrong_type"),
    BadRequest("POST", "/v2/accounts", body: "[]", 422, "wrong_type"),
    BadRequest("POST", "/v2/session", body: "{", 400, "invalid_json"),
    BadRequest("POST", "/v2/session", body: #"{"email":"a@example.org"}"#, 422, "missing_field", field: "password"),
    BadRequest(
      "POST", "/v2/session", body: #"{"email":"a@example.org","password":\#(text(1_025))}"#, 403, "bad_credentials"),
    BadRequest("POST", "/v2/session", body: #"{"email":"a\u0000","password":"12345678"}"#, 403, "bad_credentials"),
  ]

  @Test("Every invalid body, field, header and path is refused in full and stores nothing")
  func refused() async throws {
    let map = try IngestFixture()
    let client = try await map.client.signedUp()
    for request in Self.bodies + Self.members + Self.coordinates + Self.headers + Self.paths + Self.accounts {
      request.expect(
        try await client.send(request.method, request.path, body: request.body, headers: request.headers))
    }
    #expect(try await client.posts().isEmpty)
    #expect(!map.logged.contains("request failed"), "A client's mistake must not be logged as a server error.")
    try await client.expectService()
  }

  @Test("Input at the limits is accepted")
  func edges() async throws {
    let client = try await IngestFixture().client.signedUp()
    let link = #","link":"example.org""#
    let bodies = [
      #"{"place":\#(text(256))\#(link)}"#, #"{"place":\#(text(128, of: "é"))\#(link)}"#,
      #"{"place":"Oslo","link":"https://example.org/\#(String(repeating: "a", count: 2_028))"}"#,
      #"{"place":"  Oslo  ","link":"  example.org  "}"#, #"{"place":"Oslo","unknown":[{}]\#(link)}"#,
      #"{"place":"Oslo","latitude":90,"longitude":-180\#(link)}"#,
      #"{"place":"Oslo","latitude":null,"longitude":null\#(link)}"#,
      #"{"place":"\ud83d\uddfa \u0130stanbul"\#(link)}"#,
      #"{"place":"Oslo"\#(link)}"#.padding(toLength: 16_384, withPad: " ", startingAt: 0),
    ]
    for body in bodies {
      let response = try await client.send("POST", "/v2/posts", body: body)
      #expect(response.status == 202, "\(body.prefix(80))")
    }
    for headers in [
      ["Idempotency-Key": String(repeating: "k", count: 255)], ["Prefer": "respond-async"], ["Prefer": "wait=0"],
      ["Prefer": "wait=abc"], ["Prefer": "wait"], ["Prefer": "wait=-1, return=minimal"],
      ["Prefer": "wait=\"1\";foo=bar"], ["Prefer": "wait=99999999999999999999"],
      ["Prefer": "return=minimal, wait=99999"],
    ] {
      #expect([200, 202].contains(try await client.post("Oslo", headers: headers).status), "\(headers)")
    }
    let longest = try await client.post("Oslo", headers: ["Prefer": "wait=31"])
    #expect(longest.headers["preference-applied"] == "wait=30")
    let label = String(repeating: "b", count: 61)
    let email = String(repeating: "a", count: 64) + "@\(label).\(label).\(label).org"
    let names = #""firstName":\#(text(100)),"lastName":\#(text(50, of: "é"))"#
    let account = try await client.send(
      "POST", "/v2/accounts", body: #"{"email":"\#(email)","password":\#(text(1_024)),\#(names)}"#)
    #expect(account.status == 201)
    #expect(try await client.logIn(email, password: String(repeating: "a", count: 1_024)).status == 200)
    try await eventually("all posts are settled") { try await client.posts().allSatisfy { $0.state != "queued" } }
  }

  @Test(
    "An unsupported method gives 405 with the allowed methods",
    arguments: [
      ("PUT", "/v2/posts", "GET, POST"), ("DELETE", "/v2/feed", "GET"), ("POST", "/v2/geocode", "GET"),
      ("POST", "/v2/reverse", "GET"),
      ("GET", "/v2/accounts", "POST"), ("PATCH", "/v2/session", "DELETE, GET, POST"),
      ("QUERY", "/v2/feed", "GET"), ("QUERY", "/v2/posts/bulk", "POST"),
    ])
  func methods(method: String, path: String, allowed: String) async throws {
    let response = try await IngestFixture().client.send(method, path)
    BadRequest(method, path, 405, "method_not_allowed").expect(response)
    let allow = response.headers["allow"]?.components(separatedBy: ", ").filter { $0 != "HEAD" && $0 != "OPTIONS" }
    #expect(allow?.sorted().joined(separator: ", ") == allowed)
  }

  @Test("The published limits are the limits that ingest enforces")
  func limits() async throws {
    let client = try await IngestFixture().client.signedUp()
    let limits = try await client.get("/v2/limits")
    let longest = Int(try limits.number("placeBytesMax"))
    #expect(try await client.post(String(repeating: "x", count: longest)).status == 202)
    #expect(try await client.post(String(repeating: "x", count: longest + 1))["code"] == "invalid_place")
    #expect(try await client.get("/v2/posts?limit=\(Int(try limits.number("pagePostsMax")) + 1)")["field"] == "limit")
    #expect(try await client.get("/v2/version")["version"] == ProductVersion.text)
  }
}
