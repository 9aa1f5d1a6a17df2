import Foundation
import Testing

@Suite("Own account", .fixture)
struct ProfileTests {
  private func change(_ members: [String: Any], _ client: Client) async throws -> APIResponse {
    try await client.send("PATCH", "/v2/account", body: JSON.object(members))
  }

  private func delete(_ client: Client, password: String = Client.password) async throws -> APIResponse {
    try await client.send("DELETE", "/v2/account", body: JSON.object(["currentPassword": password]))
  }

  @Test("A new name appears on the lists of ingest and feed without a resync")
  func rename() async throws {
    let map = try await SystemFixture.current.roles(workers: 1)
    let (ada, bob) = (try await map.client.signedUp(), try await map.client.signedUp(as: "bob@example.org"))
    for (client, place) in [(ada, "Oslo"), (bob, "Rome"), (ada, "Lima")] { _ = try await client.post(place, wait: 30) }
    let changed = try await change(["firstName": " Augusta "], ada)
    #expect(changed.status == 200 && changed["firstName"] == "Augusta" && changed["lastName"] == "Lovelace")
    for path in ["/v2/account", "/v2/session"] { #expect(try await ada.get(path)["firstName"] == "Augusta") }
    let list = try await map.client.list()
    #expect(list.entries.map(\.firstName) == ["Augusta", "Augusta", "Ada"])
    #expect(list.entries.map(\.place) == ["Lima", "Oslo", "Rome"])
    try await eventually("the feed has the list") { try await map.feedClient.list() == list }
    try await map.ingest.restart()
    _ = try await ada.post("Bonn", wait: 30)
    #expect(try await map.client.list().entries.first?.firstName == "Augusta")
    let next = try await map.client.list()
    try await eventually("the feed has the next post") { try await map.feedClient.list() == next }
    let log = try #require(map.feed).standardError
    #expect(!log.contains("refused") && !log.contains("rejected"))
  }

  @Test("A deleted account disappears with all its posts, even if a kill interrupts the erasure")
  func delete() async throws {
    let map = try await SystemFixture.current.roles(workers: 1)
    let (ada, bob) = (try await map.client.signedUp(), try await map.client.signedUp(as: "bob@example.org"))
    let kept = try #require(try await bob.post("Rome", wait: 30)["id"])
    let lines = Array(repeating: JSON.object(["place": "Oslo", "link": "example.org"]), count: 450)
    _ = try await ada.send("POST", "/v2/posts/bulk", body: lines.joined(separator: "\n"))
    try await eventually("all posts are published") {
      try await ada.posts().last?.state == "published"
    }
    let id = try #require(try await ada.posts().first?.id)
    #expect(try await delete(ada, password: "a guess")["code"] == "wrong_password")
    #expect(try await ada.send("DELETE", "/v2/account", body: "{}")["field"] == "currentPassword")
    #expect(try await bob.get("/v2/posts/\(id)").status == 200, "A refused deletion must change nothing.")

    // Kill ingest as soon as the account is closed, however many posts are erased by then.
    async let cut = try? delete(ada)
    try await eventually("the account is closed") { try await ada.get("/v2/session").status == 401 }
    try await map.ingest.kill()
    _ = await cut
    try await map.ingest.startAndWait()
    #expect(try await map.client.list().entries.map(\.id) == [kept])
    try await eventually("the feed has the list") { try await map.feedClient.list().entries.map(\.id) == [kept] }
    #expect(try await bob.get("/v2/posts/\(id)").status == 404)
    #expect(try await map.client.logIn("ada@example.org").status == 403)
    for path in ["/v2/account", "/v2/posts"] { #expect(try await ada.get(path).status == 401) }
    #expect(try await ada.post("Lima").status == 401)

    let second = try await map.client.signedUp()
    #expect(try await second.posts().isEmpty, "A new account with the address must have no posts.")
    #expect(try await delete(second).status == 204)
    try await bob.expectService()
  }
}
