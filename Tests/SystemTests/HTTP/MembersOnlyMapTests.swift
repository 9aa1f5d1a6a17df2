import Foundation
import Testing

@Suite("Members-only map", .fixture)
struct MembersOnlyMapTests {
  @Test("The log never shows the key of the view tickets, even at level trace", arguments: [true, false])
  func key(isShared: Bool) async throws {
    let secret = "0123456789abcdef0123456789abcdef"
    let map = try await SystemFixture.current.up(
      "--log-level", "trace", "--map-access", "members",
      environment: isShared ? ["ONTHEMAP_MAP_ACCESS_SECRET": secret] : [:])
    #expect(try await map.feedClient.get("/v2/feed").status == 401)
    map.ingest.signal(SIGTERM)
    #expect(try await map.ingest.exit() == 0)
    let log = map.ingest.standardError
    let shown = "mapAccess: Web.MapAccess.members(Optional(***))"
    #expect(log.contains(shown), "The log must show the configuration.")
    #expect(!log.contains(secret) && !log.contains("ViewTickets(") && !log.contains("key: ["))
  }

  @Test(
    "A members-only map refuses --allow-subscribers anyone and --allow-feeds anyone",
    arguments: [("up", "subscribers"), ("up", "feeds"), ("ingest", "feeds")])
  func anyone(command: String, clients: String) async throws {
    let fixture = SystemFixture.current
    let key = fixture.path("feed.key")
    #expect(try await fixture.run("keys", "new", "--output", key).status == 0)
    let ran = try await fixture.run(
      command, "--data", fixture.path("data"), "--map-access", "members", "--key-file", key, "--allow-\(clients)",
      "anyone")
    let setting = "--allow-\(clients) (ONTHEMAP_ALLOW_\(clients.uppercased()))"
    #expect(ran.status == 78 && ran.log.contains("\(setting) anyone lets"), "\(ran.log)")
    #expect(ran.log.contains("Name a file of \(clients)' public keys instead."), "\(ran.log)")
  }
}
