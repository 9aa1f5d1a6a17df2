import Foundation
import StubServers
import Testing

@Suite("Logging in with Facebook", .stage)
struct FacebookTests {
  private func up(_ graph: FacebookStub, _ more: [String: String] = [:]) async throws -> Services {
    SystemFixture.current.keep(graph)
    // Libraries say all that they have at the lowest level: no secret may be among it.
    return try await SystemFixture.current.up(
      environment: [
        "ONTHEMAP_LOG_LEVEL": "trace",
        "ONTHEMAP_FACEBOOK_APP_ID": FacebookStub.appID, "ONTHEMAP_FACEBOOK_APP_SECRET": FacebookStub.appSecret,
        "ONTHEMAP_FACEBOOK_GRAPH": graph.url,
      ].merging(more) { $1 })
  }

  private func logIn(_ client: Client, _ token: String) async throws -> APIResponse {
    try await client.send("POST", "/v2/session", body: JSON.object(["facebookAccessToken": token]))
  }

  private func classic(_ client: Client, _ token: Any, path: String = "/v1/session") async throws -> APIResponse {
    try await client.send("POST", path, body: JSON.object(["facebook_mobile": ["access_token": token]]))
  }

  @Test("A token makes an account the first time and finds it ever after, in both APIs, and its session posts")
  func first() async throws {
    let map = try await up(try FacebookStub(["token": .init()]))
    let answer = try await logIn(map.client, "token")
    #expect(answer.status == 200 && answer.headers["set-cookie"]?.hasPrefix("otm=") == true)
    let account = try #require(answer.object["account"] as? [String: Any])
    #expect(account["firstName"] as? String == "Grace" && account["email"] as? String == "grace@example.org")
    #expect(account["hasPassword"] as? Bool == false)
    var client = try map.client
    client.token = answer["token"]
    try await client.expectService()
    for path in ["/v1/session", "/api/session"] {
      let again = try await classic(client, "token", path: path)
      #expect(again.status == 200)
      #expect((try again.guarded()["account"] as? [String: Any])?["key"] as? String == account["id"] as? String)
    }
    // Nobody logs in to it with a password, not with an empty one either.
    #expect(try await map.client.logIn("grace@example.org", password: "").status == 403)
  }

  @Test("Half a configuration is refused with what lacks, and the secret is not shown")
  func half() async throws {
    let cases: [([String: String], String)] = [
      (["APP_ID": "1"], "ONTHEMAP_FACEBOOK_APP_SECRET_FILE lacks"),
      (["APP_SECRET": "hidden-one"], "--facebook-app-id (ONTHEMAP_FACEBOOK_APP_ID) lacks"),
      (["APP_ID": "x", "APP_SECRET": "hidden-one"], "must be the app's id, a number, not \"x\""),
      (["APP_ID": "1", "APP_SECRET": "hidden one"], "must be a secret of printable characters, not \"***\""),
      (
        ["APP_ID": "1", "APP_SECRET": "hidden-one", "GRAPH": "http://a.example"], "(ONTHEMAP_FACEBOOK_GRAPH) must be an"
      ),
      (["APP_ID": "1", "APP_SECRET_FILE": "/nowhere"], "must be a file that can be read"),
    ]
    for (settings, text) in cases {
      let environment = Dictionary(uniqueKeysWithValues: settings.map { ("ONTHEMAP_FACEBOOK_\($0)", $1) })
      let run = try await SystemFixture.current.run("ingest", "--data", SystemFixture.current.path("x"), environment: environment)
      #expect(run.status != 0 && run.logged.contains(text) && !run.logged.contains("hidden"), "\(run.logged)")
    }
  }
}
