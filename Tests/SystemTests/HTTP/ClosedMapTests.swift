import Foundation
import Testing

@Suite("A map that only accounts see", .stage)
struct ClosedMapTests {
  @Test("No line of the log shows the key of its tickets, at the most talkative level", arguments: [true, false])
  func key(isShared: Bool) async throws {
    let secret = "0123456789abcdef0123456789abcdef"
    let map = try await SystemFixture.current.up(
      "--log-level", "trace", "--viewing", "closed", environment: isShared ? ["ONTHEMAP_VIEW_KEY": secret] : [:])
    #expect(try await map.feedClient.get("/v2/feed").status == 401)
    map.ingest.signal(SIGTERM)
    #expect(try await map.ingest.exit() == 0)
    let log = map.ingest.standardError
    #expect(log.contains("viewing: Web.Viewing.closed(Optional(***))"), "The log shows no configuration: test nothing.")
    #expect(!log.contains(secret) && !log.contains("ViewTickets(") && !log.contains("key: ["))
  }

  @Test(
    "Ingest and up refuse it where everybody with a public key may subscribe or follow the change log",
    arguments: [("up", "subscribers"), ("up", "feeds"), ("ingest", "feeds")])
  func anyone(command: String, clients: String) async throws {
    let stage = SystemFixture.current
    let key = stage.path("feed.key")
    #expect(try await stage.run("keys", "new", "--output", key).status == 0)
    let ran = try await stage.run(
      command, "--data", stage.path("data"), "--viewing", "closed", "--key-file", key, "--allow-\(clients)", "anyone")
    let setting = "--allow-\(clients) (ONTHEMAP_ALLOW_\(clients.uppercased()))"
    #expect(ran.status == 1 && ran.logged.contains("\(setting) anyone lets"), "\(ran.logged)")
    #expect(ran.logged.contains("Name a file of \(clients)' public keys instead."), "\(ran.logged)")
  }
}
