import Foundation
import Testing

@Suite("One's own account", .stage)
struct ProfileTests {
  private func change(_ members: [String: Any], _ client: Client) async throws -> Answer {
    try await client.send("PATCH", "/v2/account", body: JSON.object(members))
  }

  private func delete(_ client: Client, password: String = Client.password) async throws -> Answer {
    try await client.send("DELETE", "/v2/account", body: JSON.object(["currentPassword": password]))
  }

  @Test("Another name is on the list, at ingest and at the feed, and the feed need not start anew for it")
  func rename() async throws {
    let map = try await Stage.current.roles(workers: 1)
    let (ada, bob) = (try await map.client.signedUp(), try await map.client.signedUp(as: "bob@example.org"))
    for (client, place) in [(ada, "Oslo"), (bob, "Rome"), (ada, "Lima")] { _ = try await client.post(place, wait: 10) }
    let changed = try await change(["firstName": " Augusta "], ada)
    #expect(changed.status == 200 && changed["firstName"] == "Augusta" && changed["lastName"] == "Lovelace")
    for path in ["/v2/account", "/v2/session"] { #expect(try await ada.get(path)["firstName"] == "Augusta") }
    let list = try await map.client.list()
    #expect(list.entries.map(\.firstName) == ["Augusta", "Augusta", "Ada"])
    #expect(list.entries.map(\.place) == ["Lima", "Oslo", "Rome"])
    try await eventually("The feed has it") { try await map.feedClient.list() == list }
    try await map.ingest.restart()
    _ = try await ada.post("Bonn", wait: 10)
    #expect(try await map.client.list().entries.first?.firstName == "Augusta")
    let next = try await map.client.list()
    try await eventually("The feed goes on") { try await map.feedClient.list() == next }
    #expect(map.feed?.logged.contains("refused") == false)
  }

  @Test("An e-mail address takes the password to change, and is one account's")
  func address() async throws {
    let map = try await Stage.current.up()
    let ada = try await map.client.signedUp()
    _ = try await map.client.signedUp(as: "bob@example.org")
    let refusals: [(Answer, Int, String, String)] = [
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
      (try await change(["firstName": "Eve"], try map.client), 401, "session_required", ""),
    ]
    for (answer, status, code, field) in refusals {
      #expect(answer.status == status && answer["code"] == code && answer["field"] ?? "" == field, "\(answer.object)")
    }
    #expect(try await change([:], ada)["email"] == "ada@example.org", "Nothing has changed.")
    let moved = try await change(
      ["email": "New@example.org", "lastName": String(repeating: "a", count: 100), "currentPassword": Client.password],
      ada)
    #expect(moved.status == 200 && moved["email"] == "new@example.org")
    #expect(try await change(["email": "new@example.org"], ada).status == 200, "It is that already.")
    #expect(try await map.client.logIn("ada@example.org").status == 403)
    #expect(try await map.client.logIn("new@example.org").status == 200)
  }

  @Test("Another name counts as an edit of each post on the list, and one that is refused changes nothing")
  func renameRate() async throws {
    let unlimited = try await Stage.current.up()
    let token = try await unlimited.client.signedUp().token
    var ada = try unlimited.client
    ada.token = token
    for place in ["Oslo", "Rome", "Lima", "Bonn", "Cairo"] {
      #expect(try await ada.post(place, wait: 10)["state"] == "published")
    }
    try await unlimited.ingest.kill()
    let map = try await Stage.current.up("--posts-per-minute", "1")
    ada = try map.client
    ada.token = token
    // An account that has not edited for a minute may make a change that counts as more.
    #expect(try await change(["firstName": "Augusta"], ada).status == 200)
    let before = try await map.client.list()
    for _ in 0..<3 {
      let refused = try await change(["firstName": "Eve"], ada)
      #expect(refused.status == 429 && refused["code"] == "too_many_posts", "\(refused)")
      // The five posts were five edits. After one edit the pause would be a minute.
      #expect(Int(refused.headers["retry-after"] ?? "").map { (61...300).contains($0) } == true)
    }
    #expect(try await change(["firstName": "Augusta"], ada).status == 200, "It is that already.")
    #expect(try await map.client.list() == before)
    #expect(before.entries.map(\.firstName) == Array(repeating: "Augusta", count: 5))
    #expect(try await ada.get("/v2/account")["firstName"] == "Augusta")
    let bob = try await map.client.signedUp(as: "bob@example.org")
    for name in 0..<9 { #expect(try await change(["firstName": "Bob \(name)"], bob).status == 200, "Without posts.") }
  }

  @Test(
    "A client that asks by changes of its address which ones have an account is held up as at sign-up",
    arguments: SQL.isThere ? [true, false] : [true])
  func enumeration(hasPassword: Bool) async throws {
    let map = try await Stage.current.up()
    var ada = try await map.client.signedUp()
    _ = try await map.client.signedUp(as: "bob@example.org")
    if !hasPassword {
      // As an account of a provider.
      map.ingest.signal(SIGTERM)
      _ = try await map.ingest.exit(within: .seconds(60))
      try SQL(Stage.current.path("data/onthemap.sqlite")).run(
        "UPDATE account SET password = '' WHERE email = 'ada@example.org'")
      try await map.ingest.startAndWait()
      let token = ada.token
      ada = try map.client
      ada.token = token
    }
    var answers: [Answer] = []
    while answers.last?.status != 429, answers.count < 60 {
      answers.append(try await change(["email": "bob@example.org", "currentPassword": Client.password], ada))
    }
    #expect(answers.last?["code"] == "too_many_logins" && answers.last?.headers["retry-after"] != nil)
    #expect(answers.dropLast().allSatisfy { $0.status == 409 && $0["code"] == "email_taken" } && answers.count > 50)
    #expect(try await map.client.signUp("bob@example.org").status == 429, "They count together.")
    #expect(try await ada.get("/v2/account")["email"] == "ada@example.org")
  }

  @Test("A deleted account is gone with all that it has posted, everywhere, also after a kill in the middle")
  func delete() async throws {
    let map = try await Stage.current.roles(workers: 1)
    let (ada, bob) = (try await map.client.signedUp(), try await map.client.signedUp(as: "bob@example.org"))
    let kept = try #require(try await bob.post("Rome", wait: 10)["id"])
    let lines = Array(repeating: JSON.object(["place": "Oslo", "link": "example.org"]), count: 450)
    _ = try await ada.send("POST", "/v2/posts/bulk", body: lines.joined(separator: "\n"))
    try await eventually("All are on the map", within: .seconds(30)) {
      try await ada.posts().last?.state == "published"
    }
    let id = try #require(try await ada.posts().first?.id)
    #expect(try await delete(ada, password: "a guess")["code"] == "wrong_password")
    #expect(try await ada.send("DELETE", "/v2/account", body: "{}")["field"] == "currentPassword")
    #expect(try await bob.get("/v2/posts/\(id)").status == 200, "Nothing has changed.")

    // Killed as soon as the account is closed, whatever is erased by then.
    async let cut = try? delete(ada)
    try await eventually("The account is closed") { try await ada.get("/v2/session").status == 401 }
    try await map.ingest.kill()
    _ = await cut
    try await map.ingest.startAndWait()
    #expect(try await map.client.list().entries.map(\.id) == [kept])
    try await eventually("The feed has it") { try await map.feedClient.list().entries.map(\.id) == [kept] }
    #expect(try await bob.get("/v2/posts/\(id)").status == 404)
    #expect(try await map.client.logIn("ada@example.org").status == 403)
    for path in ["/v2/account", "/v2/posts"] { #expect(try await ada.get(path).status == 401) }
    #expect(try await ada.post("Lima").status == 401)

    let second = try await map.client.signedUp()
    #expect(try await second.posts().isEmpty, "The address is free, and nothing comes back with it.")
    #expect(try await delete(second).status == 204)
    try await bob.expectService()
  }
}
