import Foundation
import Testing

@Suite("Accounts and sessions", .fixture)
struct AccountTests {
  @Test("A session survives kill -9, and no file contains its token or the password")
  func restart() async throws {
    let map = try await SystemFixture.current.up("--log-level", "trace")
    var client = try await map.client.signedUp()
    let token = try #require(client.token)
    #expect(try await client.post("Oslo", wait: 30).status == 200)
    try await map.ingest.restart()
    client = try map.client
    client.token = token
    #expect(try await client.get("/v2/session")["email"] == "ada@example.org")
    #expect(try await client.logIn("ada@example.org").status == 200)

    let data = SystemFixture.current.path("data")
    let files = try FileManager.default.subpathsOfDirectory(atPath: data).map { URL(fileURLWithPath: data + "/" + $0) }
      .filter { try $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true }
    let contents = try files.map { try Data(contentsOf: $0) } + [Data(map.ingest.standardError.utf8)]
    #expect(contents.contains { $0.range(of: Data("ada@example.org".utf8)) != nil })
    for secret in [token, Client.password] {
      #expect(!contents.contains { $0.range(of: Data(secret.utf8)) != nil })
    }
  }
}
