import Testing

@Suite("Tests at both fronts", .bothFronts)
struct BothFrontsTests {
  @Test("Requests use ingest's own routes, and then those of a gateway")
  func fronts() async throws {
    let map = try IngestFixture()
    #expect(try await map.client.send("GET", "/v2/version").status == 200)
    #expect(map.logged.contains("ingest available") == IngestFixture.isBehindGateway)
  }
}
