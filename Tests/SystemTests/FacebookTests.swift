import Foundation
import StandIn
import Testing

@Suite("Logging in with Facebook", .stage)
struct FacebookTests {
  private func up(_ graph: GraphStandIn, _ more: [String: String] = [:]) async throws -> Services {
    Stage.current.keep(graph)
    // Libraries say all that they have at the lowest level: no secret may be among it.
    return try await Stage.current.up(
      environment: [
        "ONTHEMAP_LOG_LEVEL": "trace",
        "ONTHEMAP_FACEBOOK_APP_ID": GraphStandIn.appID, "ONTHEMAP_FACEBOOK_APP_SECRET": GraphStandIn.appSecret,
        "ONTHEMAP_FACEBOOK_GRAPH": graph.url,
      ].merging(more) { $1 })
  }

  private func logIn(_ client: Client, _ token: String) async throws -> Answer {
    try await client.send("POST", "/v2/session", body: JSON.object(["facebookAccessToken": token]))
  }

  private func classic(_ client: Client, _ token: Any, path: String = "/v1/session") async throws -> Answer {
    try await client.send("POST", path, body: JSON.object(["facebook_mobile": ["access_token": token]]))
  }

  @Test("A token makes an account the first time and finds it ever after, in both APIs, and its session posts")
  func first() async throws {
    let map = try await up(try GraphStandIn(["token": .init()]))
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

  @Test("Another app's token, and one that is none, are refused in each API's form, and many are held up")
  func refused() async throws {
    var other = GraphStandIn.Login()
    other.app = "999"
    let map = try await up(try GraphStandIn(["other-secret": other]))
    for token in ["other-secret", "wrong-secret"] {
      let answer = try await logIn(map.client, token)
      #expect(answer.status == 403 && answer["code"] == "identity_refused")
      let old = try await classic(map.client, token)
      #expect(old.status == 403)
      #expect(
        try old.guarded()["error"] as? String == "The provider does not vouch for this login; log in there again.")
      #expect(!map.ingest.logged.contains(token))
    }
    #expect(map.ingest.logged.contains("code=facebook_app") && map.ingest.logged.contains("event=identity_refused"))
    #expect(!map.ingest.logged.contains(GraphStandIn.appSecret))
    for _ in 4..<50 { #expect(try await logIn(map.client, "wrong").status == 403) }
    #expect(try await logIn(map.client, "wrong")["code"] == "too_many_logins")
  }

  @Test("A body has exactly one credential")
  func bodies() async throws {
    let map = try await up(try GraphStandIn([:]))
    let both = try await map.client.send(
      "POST", "/v2/session", body: JSON.object(["facebookAccessToken": "a", "email": "a@b", "password": "c"]))
    #expect(both.status == 422 && both["code"] == "two_credentials")
    #expect(try await map.client.send("POST", "/v2/session", body: "{}")["field"] == "email")
    #expect(
      try await map.client.send("POST", "/v2/session", body: #"{"facebookAccessToken":5}"#)["code"] == "wrong_type")
    for token in ["", 5, NSNull()] as [Any] {
      let answer = try await classic(map.client, token)
      #expect(answer.status == 400)
      let body = try answer.guarded()
      #expect(body["parameter"] as? String == "facebook_mobile.access_token")
      #expect(body["error"] as? String == "trails.Error 400: Missing parameter 'access_token'")
    }
  }

  @Test("Where it is not configured, nobody logs in so, and Facebook is not asked")
  func off() async throws {
    let client = try await Stage.current.up().client
    let answer = try await logIn(client, "token")
    #expect(answer.status == 403 && answer["code"] == "facebook_off")
    let old = try await classic(client, "token")
    #expect(old.status == 403)
    #expect(
      try old.guarded()["error"] as? String
        == "This server takes no login with Facebook; log in with your e-mail address and password.")
  }

  @Test("An account that has the address is not taken for his, and a closed sign-up is closed here too")
  func noAccount() async throws {
    let graph = try GraphStandIn(["token": .init()])
    let map = try await up(graph)
    #expect(try await map.client.signUp("grace@example.org").status == 201)
    let taken = try await logIn(map.client, "token")
    #expect(taken.status == 409 && taken["code"] == "email_taken" && taken["detail"]?.contains("then add") == true)
    var hidden = GraphStandIn.Login()
    hidden.profile = ""
    graph.set("token", hidden)
    let answer = try await logIn(map.client, "token")
    let email = (answer.object["account"] as? [String: Any])?["email"] as? String
    #expect(email?.wholeMatch(of: #/[0-9a-f]{32}@login\.invalid/#) != nil)
    map.ingest.signal(SIGTERM)
    _ = try await map.ingest.exit(within: .seconds(60))
    let closed = try await up(graph, ["ONTHEMAP_SIGN_UP": "closed"])
    #expect(try await logIn(closed.client, "token").status == 200, "Whoever has an account logs in.")
    hidden.user = "77"
    graph.set("new", hidden)
    #expect(try await logIn(closed.client, "new")["code"] == "sign_up_closed")
  }

  @Test("When Facebook cannot be asked, only this login fails, and it says when to come again")
  func down() async throws {
    let graph = try GraphStandIn(["token": .init()])
    let map = try await up(graph)
    for reply in [StandIn.Reply.answer(status: 500, body: ""), .reset, .drip] {
      graph.server.play { _ in reply }
      let answer = try await logIn(map.client, "token")
      #expect(answer.status == 503 && answer["code"] == "provider_unavailable" && answer.headers["retry-after"] == "10")
    }
    #expect(try await classic(map.client, "token").status == 503)
    #expect(try await map.client.signUp("ada@example.org").status == 201)
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
      let run = try await Stage.current.run("ingest", "--data", Stage.current.path("x"), environment: environment)
      #expect(run.status != 0 && run.logged.contains(text) && !run.logged.contains("hidden"), "\(run.logged)")
    }
  }
}

@Suite("An account without a password", .stage)
struct PasswordlessTests {
  private func up() async throws -> (map: Services, client: Client) {
    var other = GraphStandIn.Login()
    other.user = "20"
    let graph = try GraphStandIn(["token": .init(), "token-2": other])
    Stage.current.keep(graph)
    let file = Stage.current.path("secret")
    try (GraphStandIn.appSecret + "\n").write(toFile: file, atomically: true, encoding: .utf8)
    let map = try await Stage.current.up(
      "--facebook-app-id", GraphStandIn.appID, "--facebook-graph", graph.url,
      environment: ["ONTHEMAP_FACEBOOK_APP_SECRET_FILE": file])
    var client = try map.client
    let answer = try await logIn(client)
    let token: String = try #require(answer["token"])
    client.token = token
    return (map, client)
  }

  private func logIn(_ client: Client) async throws -> Answer {
    try await client.send("POST", "/v2/session", body: #"{"facebookAccessToken":"token"}"#)
  }

  @Test("Its owner sets a first password without another, and from then on needs it")
  func firstPassword() async throws {
    var (map, client) = try await up()
    #expect(try await client.get("/v2/account").object["hasPassword"] as? Bool == false)
    let moved = try await client.send("PATCH", "/v2/account", body: #"{"email":"new@example.org"}"#)
    #expect(moved.status == 200 && moved["email"] == "new@example.org")
    let set = try await client.send(
      "PUT", "/v2/account/password", body: JSON.object(["password": Client.password]))
    #expect(set.status == 200)
    #expect((set.object["account"] as? [String: Any])?["hasPassword"] as? Bool == true)
    #expect(try await client.get("/v2/account").status == 401, "As with every new password.")
    client.token = set["token"]
    #expect(try await client.get("/v2/account").object["hasPassword"] as? Bool == true)
    #expect(try await map.client.logIn("new@example.org").status == 200)
    let changes = [
      ("PUT", "/v2/account/password", JSON.object(["password": "another password"])),
      ("PATCH", "/v2/account", #"{"email":"x@example.org"}"#), ("DELETE", "/v2/account", "{}"),
    ]
    for (method, path, body) in changes {
      let answer = try await client.send(method, path, body: body)
      #expect(answer.status == 422 && answer["code"] == "missing_field" && answer["field"] == "currentPassword")
    }
  }

  @Test("An account with a password gets it as another way in, with the password")
  func added() async throws {
    let (map, _) = try await up()
    #expect(try await map.client.signUp("ada@example.org").status == 201)
    var ada = try map.client
    ada.token = try await ada.logIn("ada@example.org")["token"]
    func add(_ members: [String: Any]) async throws -> Answer {
      try await ada.send("POST", "/v2/account/identities", body: JSON.object(members))
    }
    #expect(try await add(["facebookAccessToken": "token"])["code"] == "missing_field")
    let taken = try await add(["facebookAccessToken": "token", "currentPassword": Client.password])
    #expect(taken.status == 409 && taken["code"] == "identity_taken")
    let none = try await add(["facebookAccessToken": "none", "currentPassword": Client.password])
    #expect(none.status == 403 && none["code"] == "identity_refused")
    let off = try await add(["currentPassword": Client.password])
    #expect(off.status == 403 && off["code"] == "openid_off")
    let other = try await add(["facebookAccessToken": "token-2", "currentPassword": Client.password])
    #expect(other.status == 201 && other["subject"] == "20", "\(other)")
    let again = try await map.client.send("POST", "/v2/session", body: #"{"facebookAccessToken":"token-2"}"#)
    #expect((again.object["account"] as? [String: Any])?["email"] as? String == "ada@example.org")
  }

  @Test("Its owner deletes it without one, and comes again as somebody new")
  func deleted() async throws {
    let (map, client) = try await up()
    let before = try await client.get("/v2/account")
    let id = try #require(before["id"])
    #expect(try await client.send("DELETE", "/v2/account", body: "{}").status == 204)
    #expect(try await client.get("/v2/account").status == 401)
    #expect(try await map.client.logIn("grace@example.org", password: "").status == 403)
    let again = try await logIn(try map.client)
    let account = try #require(again.object["account"] as? [String: Any])
    #expect(account["id"] as? String != id && account["email"] as? String == "grace@example.org")
  }
}
