import Domain
import Store
import StoreTesting
import Testing

@Suite("Logins in the store")
struct LoginTests {
  private let source = LoginSource(address: IPAddress("192.0.2.1"), agent: "curl/8\u{1b}[31m")

  private func begin(
    _ database: any IngestStore, _ account: AccountID, hash: String?, token: UInt8 = 1
  ) async throws -> Bool {
    try await database.addSession(
      tokenHash: Array(repeating: token, count: 32), account: account, passwordHash: hash, source: source, unixMs: 1,
      expiresMs: 1_000)
  }

  @Test(
    "A session has its source address, and the user agent as one safe line", arguments: StoreKind.allCases)
  func source(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let ada = try await database.addAccount()
    #expect(try await begin(database, ada, hash: nil))
    #expect(try await database.sessions(of: ada, unixMs: 2).first?.source == source)
    #expect(source.agent == "curl/8\u{FFFD}[31m")
    #expect(try await database.addresses(email: "ada@example.org", unixMs: 2) == [try #require(source.address)])
    #expect(try await database.addresses(email: "ada@example.org", unixMs: 1_000).isEmpty, "The session has expired.")
    #expect(LoginSource(address: nil, agent: String(repeating: "a", count: 201)).agent.utf8.count == 200)
  }

  @Test(
    "A login with an outdated password hash or a deleted account starts no session",
    arguments: StoreKind.allCases)
  func changedMeanwhile(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let ada = try await database.addAccount()
    #expect(try await !begin(database, ada, hash: "another hash"))
    #expect(try await begin(database, ada, hash: "hash of ada"))
    #expect(try await database.setPassword(of: ada, "rehashed", from: "hash of ada", ending: .none))
    #expect(try await !database.setPassword(of: ada, "again", from: "hash of ada", ending: .none))
    #expect(try await !begin(database, ada, hash: "hash of ada", token: 2))
    #expect(try await begin(database, ada, hash: "rehashed", token: 3))
    #expect(try await database.close(ada, unixMs: 5))
    #expect(try await !begin(database, ada, hash: nil, token: 4))
    #expect(try await !begin(database, AccountID(rawValue: 404), hash: nil, token: 5))
  }

  @Test("Counts of failed logins survive a restart, until they are removed or expire", arguments: StoreKind.allCases)
  func counts(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let keys = (0..<4).map { LoginThrottle.Key(scope: .accountAndNetwork, digest: [$0]) }
    let count = LoginThrottle.Count(attempts: 6, lastMs: 1_000)
    database.storeLoginCounts([keys[0]: count, keys[1]: count], removing: [], unixMs: 1_000)
    database.storeLoginCounts(
      [keys[1]: .init(attempts: 7, lastMs: 2_000)], removing: [keys[0], keys[2]], unixMs: 2_000)
    _ = try await database.addAccount()
    database.close()
    let again = try place.open()
    #expect(try again.loginCounts(unixMs: 3_000) == [keys[1]: .init(attempts: 7, lastMs: 2_000)])
    #expect(try again.loginCounts(unixMs: 2_000 + Limits.loginAttemptsExpiryMs).isEmpty)
    let laterMs = 2_000 + Limits.loginAttemptsExpiryMs
    again.storeLoginCounts([keys[3]: .init(attempts: 6, lastMs: laterMs)], removing: [], unixMs: laterMs)
    _ = try await again.addAccount("bob")
    #expect(
      try again.loginCounts(unixMs: 3_000).keys == [keys[3]: LoginThrottle.Count(attempts: 6, lastMs: laterMs)].keys,
      "Expired counts are deleted.")
  }
}
