import Domain
import Store
import Testing

@testable import Ingest

@Suite("Session store")
struct SessionStoreTests {
  private static let source = LoginSource(address: IPAddress("203.0.113.5"), agent: "test")
  private static let dayMs: Int64 = 86_400_000

  @Test("A token is valid for 60 days, and no other text is")
  func lifetime() async throws {
    let map = try IngestFixture(workers: 0)
    let (sessions, account) = (map.components.providers.logins.sessions, try await map.account("ada@example.org"))
    let (token, session) = try #require(try await sessions.begin(account, from: Self.source, unixMs: 1_000))
    #expect(token.utf8.count == Limits.sessionTokenBytes)
    #expect(session.expiresMs == 1_000 + Int64(Limits.sessionDays) * Self.dayMs && session.source == Self.source)
    // The first call reads the session, and the second one uses the cache.
    for _ in 0..<2 { #expect(try await sessions.session(token: token, unixMs: session.expiresMs - 1) == session) }
    #expect(try await sessions.session(token: token, unixMs: session.expiresMs) == nil)
    let other = Secrets.token()
    #expect(other != token)
    #expect(try await sessions.session(token: other, unixMs: 1_000) == nil)
  }

  @Test("An ended session is invalid immediately, even if it was cached")
  func end() async throws {
    let map = try IngestFixture(workers: 0)
    let (sessions, account) = (map.components.providers.logins.sessions, try await map.account("ada@example.org"))
    var newSessions: [(token: String, session: Session)] = []
    for second in 1...4 {
      let session = try await sessions.begin(account, from: Self.source, unixMs: Int64(second) * 1_000)
      newSessions.append(try #require(session))
    }
    func open() async throws -> [Int] {
      var open: [Int] = []
      for (index, session) in newSessions.enumerated()
      where try await sessions.session(token: session.token, unixMs: 5_000) != nil { open.append(index) }
      return open
    }
    #expect(try await open() == [0, 1, 2, 3])
    try await sessions.end(token: newSessions[0].token)
    #expect(try await open() == [1, 2, 3])
    let other = AccountID(rawValue: account.id.rawValue + 1)
    #expect(try await !sessions.end(newSessions[1].session.id, of: other), "Another account must not end the session.")
    #expect(try await sessions.end(newSessions[1].session.id, of: account.id))
    #expect(try await !sessions.end(newSessions[1].session.id, of: account.id))
    #expect(try await open() == [2, 3])
    try await sessions.endAll(of: account.id, except: newSessions[3].token)
    #expect(try await open() == [3])
    try await sessions.endAll(of: account.id)
    #expect(try await open().isEmpty)
  }

  @Test("A session shows its account's current data")
  func reread() async throws {
    let map = try IngestFixture(workers: 0)
    let (sessions, account) = (map.components.providers.logins.sessions, try await map.account("ada@example.org"))
    let (token, _) = try #require(try await sessions.begin(account, from: Self.source, unixMs: 1_000))
    #expect(try await sessions.session(token: token, unixMs: 1_000)?.account.isOperator == false)
    try await map.components.database.set(account.id, .isOperator(true))
    #expect(try await sessions.session(token: token, unixMs: 1_000)?.account.isOperator == true)
  }

  @Test("A changed password or a disabled account gets no session")
  func refused() async throws {
    let map = try IngestFixture(workers: 0)
    let (sessions, account) = (map.components.providers.logins.sessions, try await map.account("ada@example.org"))
    let database = map.components.database
    let hash = try #require(try await database.credentials(email: "ada@example.org")).passwordHash
    let newSession = try await sessions.begin(account, passwordHash: hash, from: Self.source, unixMs: 1_000)
    #expect(newSession != nil)
    #expect(try await sessions.begin(account, passwordHash: hash + "x", from: Self.source, unixMs: 1_000) == nil)
    try await database.set(account.id, .disabled(sinceMs: 1_000))
    #expect(try await sessions.begin(account, from: Self.source, unixMs: 1_000) == nil)
  }
}
