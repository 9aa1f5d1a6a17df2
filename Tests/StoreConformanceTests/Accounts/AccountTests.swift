import Domain
import Store
import StoreTesting
import Testing

@Suite("Accounts and sessions")
struct AccountTests {
  @Test(
    "Credentials are found by email address, with the password hash",
    arguments: StoreKind.allCases)
  func credentials(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let registration = try Registration(
      email: "Ada@Example.org", password: "a password", firstName: "Zoë", lastName: "京")
    let account = try await database.addAccount(registration, passwordHash: "$argon2id$x", unixMs: 5)
    let found = try await database.credentials(email: "ada@example.org")
    #expect(found?.account == account)
    #expect(found?.passwordHash == "$argon2id$x")
    #expect(account == Account(id: account.id, email: "ada@example.org", firstName: "Zoë", lastName: "京", createdMs: 5))
    #expect(try await database.credentials(email: "eve@example.org") == nil)
  }

  @Test("An email address belongs to one account, also with concurrent sign-ups", arguments: StoreKind.allCases)
  func emailTaken(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let first = try await database.addAccount("ada")
    await #expect(throws: EmailTaken.self) { try await database.addAccount("ada") }
    #expect(try await database.credentials(email: "ada@example.org")?.account.id == first)

    let gate = try await Gate(database)
    let outcomes = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<10 { group.addTask { (try? await database.addAccount("bob")) != nil } }
      gate.open()
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(outcomes.count { $0 } == 1)
    #expect(try await database.accountCount == 2)
  }

  @Test("A sign-up with a taken address uses no account id", arguments: StoreKind.allCases)
  func noIDUsed(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let first = try await database.addAccount("ada")
    for _ in 0..<3 {
      await #expect(throws: EmailTaken.self) { try await database.addAccount("ada") }
    }
    #expect(try await database.addAccount("bob").rawValue == first.rawValue + 1)
  }

  @Test(
    "An account id is found by address, also while disabled, until the account is closed",
    arguments: StoreKind.allCases)
  func idByAddress(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let (ada, bob) = (try await database.addAccount("ada"), try await database.addAccount("bob"))
    #expect(try await database.accountID(email: "ada@example.org") == ada)
    #expect(try await database.accountID(email: "eve@example.org") == nil)
    try await database.set(ada, .disabled(sinceMs: 5))
    #expect(try await database.accountID(email: "ada@example.org") == ada)
    #expect(try await database.close(ada, unixMs: 9))
    #expect(try await database.accountID(email: "ada@example.org") == nil)
    #expect(try await database.accountID(email: "bob@example.org") == bob)
  }

  @Test("An account is on the map only while one of its posts is published", arguments: StoreKind.allCases)
  func onMap(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let (ada, bob) = (try await database.addAccount("ada"), try await database.addAccount("bob"))
    let posts = [try await database.accepted(by: ada).id, try await database.accepted(by: bob).id]
    #expect(try await database.accountOnMap(ada) == nil, "A queued post is not on the map.")
    let reason = Verdict.Reason(code: "place_not_found", detail: "no place found for it")
    try await database.settled([(posts[0], .verdict(.at(1))), (posts[1], .verdict(.rejected(reason)))])
    let account = try await database.account(ada)
    #expect(try await database.accountOnMap(ada) == account)
    #expect(try await database.accountOnMap(bob) == nil, "A rejected post is not on the map.")
    #expect(try await database.accountOnMap(AccountID(rawValue: 404)) == nil)
    _ = try await database.deleted(posts[0], of: ada)
    #expect(try await database.accountOnMap(ada) == nil)
  }

  @Test(
    "An account's sessions are listed until they expire, and end singly or together",
    arguments: StoreKind.allCases)
  func sessionsOfAccount(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
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
    #expect(try await database.sessions(of: ada, unixMs: 0).count == 1, "The refused change keeps the session.")
    #expect(try await database.changePassword(of: ada, "another", from: "hash of ada"))
    #expect(try await database.sessions(of: ada, unixMs: 0).isEmpty)
    #expect(try await database.credentials(email: "ada@example.org")?.passwordHash == "another")
    #expect(try await database.session(tokenHash: hashes[3]) != nil)
    #expect(try await database.credentials(email: "bob@example.org")?.passwordHash == "hash of bob")
  }

  @Test(
    "A session is found by its token hash until it ends, and ending it twice is not an error",
    arguments: StoreKind.allCases)
  func sessions(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
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

  @Test("Sessions survive a restart", arguments: StoreKind.allCases)
  func restart(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    var database: (any IngestStore)? = try place.open()
    let ada = try await #require(database).addAccount("ada")
    try await database?.addSession(tokenHash: [9], account: ada, unixMs: 10, expiresMs: 1_000)
    database?.close()
    database = nil
    #expect(try await place.open().session(tokenHash: [9])?.account.id == ada)
  }

  @Test("A new session removes expired sessions of its own account only", arguments: StoreKind.allCases)
  func expired(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let ada = try await database.addAccount("ada")
    let bob = try await database.addAccount("bob")
    try await database.addSession(tokenHash: [1], account: ada, unixMs: 0, expiresMs: 1_000)
    try await database.addSession(tokenHash: [2], account: ada, unixMs: 0, expiresMs: 1_001)
    try await database.addSession(tokenHash: [3], account: bob, unixMs: 0, expiresMs: 500)
    try await database.addSession(tokenHash: [4], account: ada, unixMs: 1_000, expiresMs: 2_000)
    #expect(try await database.session(tokenHash: [1]) == nil, "A session expires at its time.")
    #expect(try await database.session(tokenHash: [2]) != nil)
    #expect(try await database.session(tokenHash: [3]) != nil)
    #expect(try await database.session(tokenHash: [4]) != nil)
  }

  @Test(
    "The operator lists accounts in pages without closed ones, and disables, enables and promotes accounts",
    arguments: StoreKind.allCases)
  func users(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let (ada, bob) = (try await database.addAccount("ada"), try await database.addAccount("bob"))
    #expect(try await database.close(try await database.addAccount("cyd"), unixMs: 1))
    try await database.addSession(tokenHash: [1], account: bob, unixMs: 1, expiresMs: 100)
    _ = try await database.accepted(by: bob)
    let first = try await database.users(email: nil, after: nil, limit: 1, unixMs: 5)
    #expect(first.map(\.account.id) == [ada] && first[0].sessions == 0 && first[0].posts == 0)
    let second = try await database.users(email: nil, after: ada, limit: 9, unixMs: 5)
    #expect(second.map(\.account.id) == [bob] && second[0].sessions == 1 && second[0].posts == 1)
    for sinceMs: Int64 in [7, 9] { try await database.set(bob, .disabled(sinceMs: sinceMs)) }
    let disabled = try await database.users(email: "bob@example.org", after: nil, limit: 9, unixMs: 5)
    #expect(
      disabled.map(\.disabledMs) == [7] && disabled[0].sessions == 0,
      "The account counts as disabled since the first call.")
    #expect(try await database.credentials(email: "bob@example.org") == nil)
    try await database.set(bob, .enabled)
    #expect(try await database.credentials(email: "bob@example.org")?.account.id == bob)
    try await database.addSession(tokenHash: [2], account: bob, unixMs: 1, expiresMs: 100)
    try await database.set(bob, .enabled)
    #expect(try await database.session(tokenHash: [2]) != nil, "The account was enabled before, so its session stays.")
    try await database.set(ada, .isOperator(true))
    #expect(try await database.account(ada)?.isOperator == true)
    try await database.set(ada, .isOperator(false))
    #expect(try await database.account(ada)?.isOperator == false)
  }

  @Test("addSession refuses an unknown account and a duplicate token", arguments: StoreKind.allCases)
  func badSessions(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let ada = try await database.addAccount("ada")
    #expect(
      try await !database.addSession(tokenHash: [1], account: AccountID(rawValue: 404), unixMs: 0, expiresMs: 1))
    try await database.addSession(tokenHash: [1], account: ada, unixMs: 0, expiresMs: 9)
    await #expect(throws: StoreError.self) {
      try await database.addSession(tokenHash: [1], account: ada, unixMs: 0, expiresMs: 99)
    }
    #expect(try await database.session(tokenHash: [1])?.expiresMs == 9)
  }
}
