import Foundation
import Ingest
import SignIn
import StubServers
import Testing

@Suite("Accounts without a password", .bothFronts)
struct PasswordlessTests {
  private let graph: FacebookStub

  init() throws {
    var other = FacebookStub.Login()
    other.user = "20"
    graph = try FacebookStub(["token": .init(), "token-2": other])
  }

  private func makeFixture() async throws -> (map: IngestFixture, client: Client) {
    let map = try IngestFixture { [graph] in
      $0.facebook = try FacebookConfiguration(
        appID: FacebookStub.appID, appSecret: FacebookStub.appSecret, graph: graph.url)
    }
    let token = try #require(try await logIn(map.client)["token"])
    return (map, map.client.with(token: token))
  }

  private func logIn(_ client: Client) async throws -> APIResponse {
    try await client.send("POST", "/v2/session", body: #"{"facebookAccessToken":"token"}"#)
  }

  @Test("The owner sets a first password without a check and needs it afterwards")
  func firstPassword() async throws {
    var (map, client) = try await makeFixture()
    #expect(try await client.get("/v2/account").object["hasPassword"] as? Bool == false)
    let moved = try await client.send("PATCH", "/v2/account", body: #"{"email":"new@example.org"}"#)
    #expect(moved.status == 200 && moved["email"] == "new@example.org")
    let set = try await client.send(
      "PUT", "/v2/account/password", body: JSON.object(["password": Client.password]))
    #expect(set.status == 200)
    #expect((set.object["account"] as? [String: Any])?["hasPassword"] as? Bool == true)
    #expect(try await client.get("/v2/account").status == 401, "A new password must end every session.")
    client.token = set["token"]
    #expect(try await client.get("/v2/account").object["hasPassword"] as? Bool == true)
    #expect(try await map.client.logIn("new@example.org").status == 200)
    let changes = [
      ("PUT", "/v2/account/password", JSON.object(["password": "another password"])),
      ("PATCH", "/v2/account", #"{"email":"x@example.org"}"#), ("DELETE", "/v2/account", "{}"),
    ]
    for (method, path, body) in changes {
      let response = try await client.send(method, path, body: body)
      #expect(response.status == 422 && response["code"] == "missing_field" && response["field"] == "currentPassword")
    }
  }

  @Test("An account with a password links Facebook after a password check")
  func added() async throws {
    let (map, _) = try await makeFixture()
    #expect(try await map.client.signUp("ada@example.org").status == 201)
    var ada = map.client
    ada.token = try await ada.logIn("ada@example.org")["token"]
    func add(_ members: [String: Any]) async throws -> APIResponse {
      try await ada.send("POST", "/v2/account/identities", body: JSON.object(members))
    }
    #expect(try await add(["facebookAccessToken": "token"])["code"] == "missing_field")
    let conflict = try await add(["facebookAccessToken": "token", "currentPassword": Client.password])
    #expect(conflict.status == 409 && conflict["code"] == "identity_taken")
    let none = try await add(["facebookAccessToken": "none", "currentPassword": Client.password])
    #expect(none.status == 403 && none["code"] == "identity_refused")
    let off = try await add(["currentPassword": Client.password])
    #expect(off.status == 403 && off["code"] == "oidc_disabled")
    let other = try await add(["facebookAccessToken": "token-2", "currentPassword": Client.password])
    #expect(other.status == 201 && other["subject"] == "20", "\(other)")
    let again = try await map.client.send("POST", "/v2/session", body: #"{"facebookAccessToken":"token-2"}"#)
    #expect((again.object["account"] as? [String: Any])?["email"] as? String == "ada@example.org")
  }

  @Test("The owner deletes the account without a password, and the next login creates a new account")
  func deleted() async throws {
    let (map, client) = try await makeFixture()
    let before = try await client.get("/v2/account")
    let id = try #require(before["id"])
    #expect(try await client.send("DELETE", "/v2/account", body: "{}").status == 204)
    #expect(try await client.get("/v2/account").status == 401)
    #expect(try await map.client.logIn("grace@example.org", password: "").status == 403)
    let again = try await logIn(map.client)
    let account = try #require(again.object["account"] as? [String: Any])
    #expect(account["id"] as? String != id && account["email"] as? String == "grace@example.org")
  }
}
