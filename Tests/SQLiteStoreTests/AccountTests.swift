import GRDB
import Store
import StoreTesting
import Testing

@testable import Domain
@testable import SQLiteStore

@Suite("Accounts and sessions")
struct AccountTests {
  private let folder = Folder()

  @Test("An account is found by its address, with its password's hash; another address finds none")
  func credentials() async throws {
    let database = try folder.open()
    let registration = try Registration(
      email: "Ada@Example.org", password: "a password", firstName: "Zoë", lastName: "京")
    let account = try await database.addAccount(registration, passwordHash: "$argon2id$x", unixMs: 5)
    let found = try await database.credentials(email: "ada@example.org")
    #expect(found?.account == account)
    #expect(found?.passwordHash == "$argon2id$x")
    #expect(account == Account(id: account.id, email: "ada@example.org", firstName: "Zoë", lastName: "京", createdMs: 5))
    #expect(try await database.credentials(email: "eve@example.org") == nil)
  }

  @Test("An address is one account's, also when two come at once")
  func emailTaken() async throws {
    let database = try folder.open()
    let first = try await database.addAccount("ada")
    await #expect(throws: EmailTaken.self) { try await database.addAccount("ada") }
    #expect(try await database.credentials(email: "ada@example.org")?.account.id == first)

    let gate = await Gate(database)
    let outcomes = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<10 { group.addTask { (try? await database.addAccount("bob")) != nil } }
      gate.open()
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(outcomes.count { $0 } == 1)
    #expect(try database.number("SELECT count(*) FROM account") == 2)
  }

  @Test("An address that is taken uses no number, and is known as taken also while its account is disabled")
  func noNumberUsed() async throws {
    let database = try folder.open()
    let first = try await database.addAccount("ada")
    for _ in 0..<3 {
      await #expect(throws: EmailTaken.self) { try await database.addAccount("ada") }
    }
    #expect(try await database.addAccount("bob").rawValue == first.rawValue + 1)
    try await database.set(first, .disabled(sinceMs: 5))
    #expect(try await database.hasAccount(email: "ada@example.org"))
    #expect(try await !database.hasAccount(email: "eve@example.org"))
  }

  @Test("An account's number is never given again")
  func numbers() async throws {
    let database = try folder.open()
    let first = try await database.addAccount("ada")
    try await database.write { db in try db.execute(sql: "DELETE FROM account") }
    #expect(try await database.addAccount("bob").rawValue > first.rawValue)
  }

  @Test("An account's sessions are listed while they last, and end by name or together, with a new password or without")
  func sessionsOfAccount() async throws {
    let database = try folder.open()
    let (ada, bob) = (try await database.addAccount("ada"), try await database.addAccount("bob"))
    let hashes = (1...4).map { Array(repeating: UInt8($0), count: 32) }
    for (index, hash) in hashes.enumerated() {
      try await database.addSession(
        tokenHash: hash, account: index == 3 ? bob : ada, unixMs: Int64(index), expiresMs: index == 0 ? 100 : 1_000)
    }
    let all = try await database.sessions(of: ada, unixMs: 99)
    #expect(all.map(\.id) == [2, 1, 0].map { SessionID(tokenHash: hashes[$0]) })
    #expect(all.map(\.createdMs) == [2, 1, 0] && all[0].account.id == ada)
    #expect(try await database.sessions(of: ada, unixMs: 100).count == 2)
    #expect(try await !database.endSessions(.one(all[0].id, of: bob)))
    #expect(try await database.endSessions(.one(all[0].id, of: ada)))
    #expect(try await !database.endSessions(.one(all[0].id, of: ada)))
    #expect(try await database.endSessions(.all(of: ada, except: hashes[1])))
    #expect(try await database.sessions(of: ada, unixMs: 0).map(\.id) == [all[1].id])
    #expect(try await !database.changePassword(of: ada, "another", from: "not any more"))
    #expect(try await database.sessions(of: ada, unixMs: 0).count == 1, "Nothing has changed.")
    #expect(try await database.changePassword(of: ada, "another", from: "hash of ada"))
    #expect(try await database.sessions(of: ada, unixMs: 0).isEmpty)
    #expect(try await database.credentials(email: "ada@example.org")?.passwordHash == "another")
    #expect(try await database.session(tokenHash: hashes[3]) != nil)
    #expect(try await database.credentials(email: "bob@example.org")?.passwordHash == "hash of bob")
  }

  @Test("A session is found by its token's hash until it is removed; removing what is not there is no error")
  func sessions() async throws {
    let database = try folder.open()
    let ada = try await database.addAccount("ada")
    let bob = try await database.addAccount("bob")
    try await database.addSession(tokenHash: [1, 2], account: ada, unixMs: 10, expiresMs: 1_000)
    try await database.addSession(tokenHash: [3, 4], account: bob, unixMs: 10, expiresMs: 2_000)
    #expect(try await database.session(tokenHash: [1, 2])?.account.id == ada)
    #expect(try await database.session(tokenHash: [1, 2])?.expiresMs == 1_000)
    #expect(try await database.session(tokenHash: [3, 4])?.account.email == "bob@example.org")
    #expect(try await database.session(tokenHash: [1]) == nil)
    #expect(try await database.endSessions(.token(hash: [1, 2])))
    #expect(try await !database.endSessions(.token(hash: [1, 2])))
    #expect(try await database.session(tokenHash: [1, 2]) == nil)
    #expect(try await database.session(tokenHash: [3, 4]) != nil)
  }

  @Test("Sessions survive a restart")
  func restart() async throws {
    var database: SQLiteDatabase? = try folder.open()
    let ada = try await #require(database).addAccount("ada")
    try await database?.addSession(tokenHash: [9], account: ada, unixMs: 10, expiresMs: 1_000)
    database?.close()
    database = nil
    #expect(try await folder.open().session(tokenHash: [9])?.account.id == ada)
  }

  @Test("A new session takes the account's expired ones away, and nobody else's")
  func expired() async throws {
    let database = try folder.open()
    let ada = try await database.addAccount("ada")
    let bob = try await database.addAccount("bob")
    try await database.addSession(tokenHash: [1], account: ada, unixMs: 0, expiresMs: 1_000)
    try await database.addSession(tokenHash: [2], account: ada, unixMs: 0, expiresMs: 1_001)
    try await database.addSession(tokenHash: [3], account: bob, unixMs: 0, expiresMs: 500)
    try await database.addSession(tokenHash: [4], account: ada, unixMs: 1_000, expiresMs: 2_000)
    #expect(try await database.session(tokenHash: [1]) == nil, "It ends at its time.")
    #expect(try await database.session(tokenHash: [2]) != nil)
    #expect(try await database.session(tokenHash: [3]) != nil)
    #expect(try await database.session(tokenHash: [4]) != nil)
  }

  @Test("Nobody has no session, and the same token twice is an error")
  func badSessions() async throws {
    let database = try folder.open()
    let ada = try await database.addAccount("ada")
    #expect(
      try await !database.addSession(tokenHash: [1], account: AccountID(rawValue: 404), unixMs: 0, expiresMs: 1))
    try await database.addSession(tokenHash: [1], account: ada, unixMs: 0, expiresMs: 9)
    await #expect(throws: StoreError.self) {
      try await database.addSession(tokenHash: [1], account: ada, unixMs: 0, expiresMs: 99)
    }
    #expect(try await database.session(tokenHash: [1])?.expiresMs == 9)
  }

  @Test("With an account go its sessions, posts and keys")
  func cascade() async throws {
    let database = try folder.open()
    let ada = try await database.addAccount("ada")
    let bob = try await database.addAccount("bob")
    for account in [ada, bob] {
      try await database.addSession(tokenHash: [UInt8(account.rawValue)], account: account, unixMs: 0, expiresMs: 9)
      _ = try await database.accepted(by: account, key: .init(key: "k", requestHash: [1]))
    }
    try await database.write { db in
      try db.execute(sql: "DELETE FROM account WHERE id = ?", arguments: [ada.rawValue])
    }
    for table in ["account", "session", "post"] {
      #expect(try database.number("SELECT count(*) FROM \(table)") == 1, "\(table)")
    }
  }
}
