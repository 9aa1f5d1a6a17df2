import Foundation
import Testing

@Suite("onthemap user", .fixture)
struct UserTests {
  private struct User: Decodable {
    let id: String
    let email: String
    let disabled: Bool
    let sessions: Int
    let posts: Int
    let password: String?
  }

  /// Runs `onthemap user …` on the test's data. Returns its output without the final line end.
  @discardableResult
  private func user(_ arguments: String..., status: Int32 = 0) async throws -> (output: String, log: String) {
    let ran = try await SystemFixture.current.run(
      ["user"] + arguments + ["--data", SystemFixture.current.path("data")])
    #expect(ran.status == status, "\(arguments): \(ran.log)")
    return (ran.output.trimmingCharacters(in: .newlines), ran.log)
  }

  private func list(_ arguments: String...) async throws -> (users: [User], next: String?) {
    struct Page: Decodable {
      let users: [User]
      let next: String?
    }
    let ran = try await SystemFixture.current.run(
      ["user", "ls", "--json", "--data", SystemFixture.current.path("data")] + arguments)
    let page = try JSONDecoder().decode(Page.self, from: Data(ran.output.utf8))
    return (page.users, page.next)
  }

  @Test("user create makes an account although sign-up is closed, and prints its password once")
  func create() async throws {
    let map = try await SystemFixture.current.up("--sign-up", "closed")
    #expect(try await user("ls").log.contains("No such account."))
    let output = try await user("create", "Ada@Example.org", "--first-name", "Ada", "--last-name", "Lovelace").output
    let lines = output.split(separator: "\n")
    #expect(lines.first == "Created account 1 for ada@example.org." && lines.count == 2)
    let password = String(try #require(lines.last?.split(separator: " ").last))
    #expect(password.count == 20)
    let session = try await map.client.logIn("ada@example.org", password: password)
    #expect(session.status == 200)
    #expect(!map.ingest.standardError.contains(password))

    let file = SystemFixture.current.path("password")
    try Data("a password of Bob's own\nnot this line".utf8).write(to: URL(filePath: file))
    #expect(
      try await user("create", "bob@example.org", "--first-name", "Bob", "--password-file", file).output
        .contains("Created account 2 for"))
    #expect(try await map.client.logIn("bob@example.org", password: "a password of Bob's own").status == 200)
    try await eventually("the creation is logged") {
      map.ingest.standardError.contains("event=account_created operator=")
    }

    for (arguments, text) in [
      (["create", "ada@example.org", "--first-name", "Eve"], "there is an account with this email address"),
      (["create", "nobody", "--first-name", "Eve"], "email is not an email address such as ada@example.org"),
      (["create", "eve@example.org", "--first-name", " "], "firstName is empty"),
      (["disable", "eve@example.org"], "no account has this email address"),
      (["reset-password", "ada@example.org", "--password-file", "/nonexistent"], "--password-file must be a file"),
      (["ls", "--limit", "1001"], "--limit must be a number from 1 to 1000"),
    ] {
      let ran = try await SystemFixture.current.run(
        ["user"] + arguments + ["--data", SystemFixture.current.path("data")])
      #expect(ran.status != 0 && ran.log.contains(text), "\(arguments): \(ran.log)")
    }
    #expect(try await list().users.map(\.email) == ["ada@example.org", "bob@example.org"])
  }

  @Test("A disabled account gets no session and keeps its posts until it is enabled")
  func disable() async throws {
    let map = try await SystemFixture.current.up()
    let ada = try await map.client.signedUp()
    _ = try await ada.post("Oslo", wait: 30)
    let before = try #require(try await list("--email", " ADA@example.org").users.first)
    #expect(before.sessions == 1 && before.posts == 1 && !before.disabled && before.password == nil)
    try await user("disable", "ada@example.org")
    for response in [try await ada.get("/v2/session"), try await ada.post("Lima")] { #expect(response.status == 401) }
    let refused = try await map.client.logIn("ada@example.org")
    let unknown = try await map.client.logIn("nobody@example.org")
    #expect(refused.status == 403 && refused.body == unknown.body)
    let after = try #require(try await list().users.first)
    #expect(after.disabled && after.sessions == 0 && after.posts == 1)
    #expect(try await map.client.list().entries.count == 1)
    #expect(try await user("ls").output.contains("disabled"))
    try await map.ingest.restart()
    #expect(try await map.client.logIn("ada@example.org").status == 403)
    try await user("enable", "ada@example.org")
    #expect(try await map.client.logIn("ada@example.org").status == 200)
  }

  @Test("user reset-password ends every session and invalidates the old password")
  func reset() async throws {
    let map = try await SystemFixture.current.up()
    let ada = try await map.client.signedUp()
    let bob = try await map.client.signedUp(as: "bob@example.org")
    let ran = try await SystemFixture.current.run(
      "user", "reset-password", "ada@example.org", "--json", "--data", SystemFixture.current.path("data"))
    let password = try #require(try JSONDecoder().decode(User.self, from: Data(ran.output.utf8)).password)
    #expect(try await ada.get("/v2/session").status == 401)
    #expect(try await map.client.logIn("ada@example.org").status == 403)
    #expect(try await map.client.logIn("ada@example.org", password: password).status == 200)
    #expect(try await bob.get("/v2/session").status == 200)
  }

  @Test("user ls lists accounts in pages, without deleted ones")
  func pages() async throws {
    let map = try await SystemFixture.current.up()
    var clients: [Client] = []
    for name in ["a", "b", "c", "d"] { clients.append(try await map.client.signedUp(as: "\(name)@example.org")) }
    let body = JSON.object(["currentPassword": Client.password])
    #expect(try await clients[1].send("DELETE", "/v2/account", body: body).status == 204)
    let first = try await list("--limit", "2")
    #expect(first.users.map(\.id) == ["1", "3"] && first.next == "3")
    let second = try await list("--limit", "2", "--after", "3")
    #expect(second.users.map(\.id) == ["4"] && second.next == nil)
  }
}
