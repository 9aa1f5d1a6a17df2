import Foundation
import StubServers
import Testing

@Suite("Facebook login", .fixture)
struct FacebookTests {
  private func up(_ graph: FacebookStub, _ more: [String: String] = [:]) async throws -> Services {
    SystemFixture.current.keep(graph)
    // At level trace, libraries log everything. The log must contain no secret.
    return try await SystemFixture.current.up(
      environment: [
        "ONTHEMAP_LOG_LEVEL": "trace",
        "ONTHEMAP_FACEBOOK_APP_ID": FacebookStub.appID, "ONTHEMAP_FACEBOOK_APP_SECRET": FacebookStub.appSecret,
        "ONTHEMAP_FACEBOOK_GRAPH_URL": graph.url,
      ].merging(more) { $1 })
  }

  private func logIn(_ client: Client, _ token: String) async throws -> APIResponse {
    try await client.send("POST", "/v2/session", body: JSON.object(["facebookAccessToken": token]))
  }

  private func compatLogIn(_ client: Client, _ token: Any, path: String = "/v1/session") async throws -> APIResponse {
    try await client.send("POST", path, body: JSON.object(["facebook_mobile": ["access_token": token]]))
  }

  @Test("A Facebook token creates an account on first use and finds it later, in both APIs")
  func first() async throws {
    let map = try await up(try FacebookStub(["token": .init()]))
    let response = try await logIn(map.client, "token")
    #expect(response.status == 200 && response.headers["set-cookie"]?.hasPrefix("otm=") == true)
    let account = try #require(response.object["account"] as? [String: Any])
    #expect(account["firstName"] as? String == "Grace" && account["email"] as? String == "grace@example.org")
    #expect(account["hasPassword"] as? Bool == false)
    var client = try map.client
    client.token = response["token"]
    try await client.expectService()
    for path in ["/v1/session", "/api/session"] {
      let again = try await compatLogIn(client, "token", path: path)
      #expect(again.status == 200)
      #expect((try again.guarded()["account"] as? [String: Any])?["key"] as? String == account["id"] as? String)
    }
    // No password logs in to this account, not even an empty password.
    #expect(try await map.client.logIn("grace@example.org", password: "").status == 403)
  }

  @Test("An incomplete Facebook configuration is refused at start without showing the secret")
  func half() async throws {
    let cases: [([String: String], String)] = [
      (["APP_ID": "1"], "ONTHEMAP_FACEBOOK_APP_SECRET_FILE is missing"),
      (["APP_SECRET": "hidden-one"], "--facebook-app-id (ONTHEMAP_FACEBOOK_APP_ID) is missing"),
      (["APP_ID": "x", "APP_SECRET": "hidden-one"], "must be an app id, a number, not \"x\""),
      (["APP_ID": "1", "APP_SECRET": "hidden one"], "must be a secret of printable characters, not \"***\""),
      (
        ["APP_ID": "1", "APP_SECRET": "hidden-one", "GRAPH_URL": "http://a.example"],
        "(ONTHEMAP_FACEBOOK_GRAPH_URL) must be a URL"
      ),
      (["APP_ID": "1", "APP_SECRET_FILE": "/nowhere"], "must be a readable file"),
    ]
    for (settings, text) in cases {
      let environment = Dictionary(uniqueKeysWithValues: settings.map { ("ONTHEMAP_FACEBOOK_\($0)", $1) })
      let run = try await SystemFixture.current.run(
        "ingest", "--data", SystemFixture.current.path("x"), environment: environment)
      #expect(run.status != 0 && run.log.contains(text) && !run.log.contains("hidden"), "\(run.log)")
    }
  }
}
