import Foundation
import Testing

@Suite("Compatibility API: users", .bothFronts)
struct CompatUserTests {
  private static let texts = ["key", "first_name", "last_name", "nickname", "_image_url"]
  private static let textsOrNull = [
    "website_url", "linkedin_url", "bio", "location", "occupation", "timezone", "languages", "jabber_id",
    "mailing_address", "external_service_password", "signature", "_stripe_customer_id", "_facebook_id", "_google_id",
    "zendesk_id", "_image", "_resume", "site_preferences", "coaching_data",
  ]
  private static let truths = ["_registered", "_has_password", "employer_sharing"]
  private static let arrays = [
    "social_accounts", "_cohort_keys", "_badges", "_principals", "_enrollments", "external_accounts", "tags",
    "_affiliate_profiles", "_memberships",
  ]

  private func key(_ app: CompatApp) async throws -> String {
    try #require((try await app.logIn().guarded()["account"] as? [String: Any])?["key"] as? String)
  }

  @Test("U1, U2, U5, U6, U7: a user has 39 typed fields, at the top and inside user", arguments: CompatApp.Family.all)
  func fields(family: CompatApp.Family) async throws {
    let app = try await IngestFixture().app(family)
    let object = try await app.user(try await key(app)).guarded()
    var top = object
    let wrapped = try #require(top.removeValue(forKey: "user") as? [String: Any])
    #expect(NSDictionary(dictionary: top) == NSDictionary(dictionary: wrapped))
    for user in [top, wrapped] {
      #expect(user.count == 39)
      for name in Self.texts { #expect((user[name] as? String)?.isEmpty == false, "\(name)") }
      for name in Self.textsOrNull { #expect(user[name] is NSNull || user[name] is String, "\(name)") }
      for name in Self.truths { #expect(user[name] is Bool, "\(name)") }
      for name in Self.arrays { #expect(user[name] is [String], "\(name)") }
      #expect((user["_memberships"] as? [Any])?.isEmpty == true)
      let email = try #require(user["email"] as? [String: Any])
      #expect(email["address"] is String && email["_verified"] is Bool && email["_verification_code_sent"] is Bool)
      #expect(user["guard"] is [String: Any] && user["email_preferences"] is NSNull)
    }
    #expect(top["first_name"] as? String == "Ada" && top["last_name"] as? String == "Lovelace")
  }

  @Test("U2: a user without a last name has an empty one")
  func noLastName() async throws {
    let map = try IngestFixture()
    let body = JSON.object(["email": "plato@example.org", "password": Client.password, "firstName": "Plato"])
    #expect(try await map.client.send("POST", "/v2/accounts", body: body).status == 201)
    let app = CompatApp(map.client)
    try await app.logIn("plato@example.org")
    let user = try await app.user("me").guarded()
    #expect(user["first_name"] as? String == "Plato" && user["last_name"] as? String == "")
  }

  @Test("U3, U4, U9: a user is found by key, and the caller also by session and as me")
  func keys() async throws {
    let map = try IngestFixture()
    let app = try await map.app()
    let login = try await app.logIn().guarded()
    let key = try #require((login["account"] as? [String: Any])?["key"] as? String)
    let session = try #require((login["session"] as? [String: Any])?["id"] as? String)
    for id in [key, session] {
      let user = try await app.user(id).guarded()
      #expect(user["key"] as? String == id && user["first_name"] as? String == "Ada")
    }
    #expect(try await app.user("me").guarded()["key"] as? String == key)
  }

  @Test("U4: another account's session id finds no user")
  func foreignSession() async throws {
    let map = try IngestFixture()
    let ada = try await map.app()
    let session = try #require((try await ada.logIn().guarded()["session"] as? [String: Any])?["id"] as? String)
    let bob = try await map.app(CompatApp.Family.all[0], "bob@example.org")
    #expect(try await bob.user(session).status == 404)
  }

  @Test("U5: only the owner sees the email address")
  func email() async throws {
    let map = try IngestFixture()
    let ada = try await map.app()
    let key = try await key(ada)
    let own = try await ada.user(key).guarded()["email"] as? [String: Any]
    #expect(own?["address"] as? String == "ada@example.org")
    let bob = try await map.app(CompatApp.Family.all[0], "bob@example.org")
    #expect(try await ada.post().status == 200)
    let response = try await bob.user(key)
    #expect(response.status == 200 && !String(decoding: response.body, as: UTF8.self).contains("ada@"))
  }

  @Test("U8: an account without a post on the map is visible to its owner only", arguments: ["/v1", "/api"])
  func unposted(base: String) async throws {
    let map = try IngestFixture()
    let ada = try await map.app()
    let key = try await key(ada)
    let bob = try await map.app(CompatApp.Family.all[0], "bob@example.org")
    func seen(_ app: CompatApp) async throws -> Int { try await app.send("GET", "\(base)/users/\(key)").status }
    #expect(try await seen(bob) == 404)
    #expect(try await seen(ada) == 200)
    let nobody = try await bob.send("GET", "\(base)/users/999999")
    #expect(
      try await bob.send("GET", "\(base)/users/\(key)").body == nobody.body,
      "The response must not reveal that the account exists.")
    let nowhere: [String: Any] = ["mapString": "Xyzzyxqwv", "latitude": NSNull(), "longitude": NSNull()]
    #expect(try await ada.post(nowhere).status == 400)
    #expect(try await seen(bob) == 404, "A rejected post is not on the map.")
    let id = try #require(try await ada.post()["objectId"])
    #expect(try await seen(bob) == 200)
    #expect(try await ada.send("DELETE", "\(ada.family.list)/\(id)").status == 200)
    #expect(try await seen(bob) == 404)
  }

  @Test(
    "U8: an unknown key gives 404", arguments: ["999999", "0", "-1", "x", "01", "99999999999999999999", "%00"])
  func unknown(id: String) async throws {
    let response = try await IngestFixture().app().user(id)
    let body = try response.guarded()
    #expect(response.status == 404 && body["status"] as? Int == 404 && body["error"] is String)
  }

  @Test("A client without a session sees no user")
  func stranger() async throws {
    let app = try await IngestFixture().app()
    let response = try await app.send("GET", "/v1/users/\(try await key(app))", cookie: false)
    #expect(try response.status == 401 && response.guarded()["status"] as? Int == 401)
  }
}
