import Foundation
import Ingest
import Testing

@Suite("Own account", .bothFronts)
struct ProfileTests {
  private func change(_ members: [String: Any], _ client: Client) async throws -> APIResponse {
    try await client.send("PATCH", "/v2/account", body: JSON.object(members))
  }

  @Test("A change of email address needs the password and a free address")
  func address() async throws {
    let map = try IngestFixture()
    let ada = try await map.client.signedUp()
    _ = try await map.client.signedUp(as: "bob@example.org")
    let refusals: [(APIResponse, Int, String, String)] = [
      (try await change(["email": "new@example.org"], ada), 422, "missing_field", "currentPassword"),
      (
        try await change(["email": "new@example.org", "currentPassword": "a guess"], ada), 403, "wrong_password",
        "currentPassword"
      ),
      (
        try await change(["email": "bob@example.org", "currentPassword": Client.password], ada), 409, "email_taken",
        "email"
      ),
      (try await change(["email": "no address"], ada), 422, "invalid_email", "email"),
      (try await change(["firstName": " "], ada), 422, "invalid_firstName", "firstName"),
      (try await change(["lastName": String(repeating: "a", count: 101)], ada), 422, "invalid_lastName", "lastName"),
      (try await change(["lastName": 5], ada), 422, "wrong_type", "lastName"),
      (try await change(["firstName": "Eve"], map.client), 401, "session_required", ""),
    ]
    for (response, status, code, field) in refusals {
      #expect(response.status == status && response["code"] == code, "\(response.object)")
      #expect(response["field"] ?? "" == field, "\(response.object)")
    }
    #expect(try await change([:], ada)["email"] == "ada@example.org", "The address must not change.")
    let moved = try await change(
      ["email": "New@example.org", "lastName": String(repeating: "a", count: 100), "currentPassword": Client.password],
      ada)
    #expect(moved.status == 200 && moved["email"] == "new@example.org")
    #expect(try await change(["email": "new@example.org"], ada).status == 200, "An unchanged value must be accepted.")
    #expect(try await map.client.logIn("ada@example.org").status == 403)
    #expect(try await map.client.logIn("new@example.org").status == 200)
  }

  @Test("A new name counts as an edit of each listed post, and a refused name changes nothing")
  func renameRate() async throws {
    let unlimited = try IngestFixture()
    var ada = try await unlimited.client.signedUp()
    for place in ["Oslo", "Rome", "Lima", "Bonn", "Cairo"] {
      #expect(try await ada.post(place, wait: 30)["state"] == "published")
    }
    let map = try unlimited.restarted { $0.postsPerMinute = 1 }
    ada = map.client.with(token: ada.token)
    // After a minute without edits, an account may make one change that exceeds the limit.
    #expect(try await change(["firstName": "Augusta"], ada).status == 200)
    let before = try await map.client.list()
    for _ in 0..<3 {
      let refused = try await change(["firstName": "Eve"], ada)
      #expect(refused.status == 429 && refused["code"] == "too_many_posts", "\(refused)")
      // The change counted as five edits, for five posts. After one edit the pause would be a minute.
      #expect(Int(refused.headers["retry-after"] ?? "").map { (61...300).contains($0) } == true)
    }
    #expect(try await change(["firstName": "Augusta"], ada).status == 200, "An unchanged value must be accepted.")
    #expect(try await map.client.list() == before)
    #expect(before.entries.map(\.firstName) == Array(repeating: "Augusta", count: 5))
    #expect(try await ada.get("/v2/account")["firstName"] == "Augusta")
    let bob = try await map.client.signedUp(as: "bob@example.org")
    for name in 0..<9 {
      #expect(
        try await change(["firstName": "Bob \(name)"], bob).status == 200,
        "An account without posts must have no limit.")
    }
  }

  @Test(
    "Probing addresses by profile changes is rate limited together with sign-ups",
    arguments: [true, false])
  func enumeration(hasPassword: Bool) async throws {
    var map = try IngestFixture()
    var ada = try await map.client.signedUp()
    _ = try await map.client.signedUp(as: "bob@example.org")
    if !hasPassword {
      // Like an account from a provider.
      map = try map.restarted(after: "UPDATE account SET password = '' WHERE email = 'ada@example.org'")
      ada = map.client.with(token: ada.token)
    }
    var responses: [APIResponse] = []
    while responses.last?.status != 429, responses.count < 60 {
      responses.append(try await change(["email": "bob@example.org", "currentPassword": Client.password], ada))
    }
    #expect(responses.last?["code"] == "too_many_logins" && responses.last?.headers["retry-after"] != nil)
    #expect(responses.dropLast().allSatisfy { $0.status == 409 && $0["code"] == "email_taken" } && responses.count > 50)
    // The pause may be over. Then the sign-up counts too, and doubles the next pause.
    var signUps = 0
    while try await map.client.signUp("bob@example.org").status != 429, signUps < 10 { signUps += 1 }
    #expect(signUps < 10, "Profile changes and sign-ups must share a limit.")
    #expect(try await ada.get("/v2/account")["email"] == "ada@example.org")
  }
}
