import Domain
import Store
import StoreTesting
import Testing

@Suite("Provider identities")
struct IdentityTests {

  private func identity(_ subject: String, issuer: String = "https://login.example") throws -> ProvidedIdentity {
    try #require(
      ProvidedIdentity(
        issuer: issuer, subject: subject, email: nil, givenName: "Ada", familyName: "Lovelace", name: nil))
  }

  private func makeAccount(_ database: any IngestStore, _ subject: String, email: String) async throws -> Account {
    let outcome = try await database.account(of: identity(subject), newEmail: email, unixMs: 5)
    guard case .created(let account) = outcome else { throw StoreError.unusable(path: "", reason: "\(outcome)") }
    return account
  }

  @Test(
    "A first sign-in creates an account without a password, and later sign-ins find the account",
    arguments: StoreKind.allCases)
  func made(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let account = try await makeAccount(database, "1", email: "ada@example.org")
    #expect(!account.hasPassword && account.firstName == "Ada" && account.createdMs == 5)
    #expect(try await database.credentials(email: "ada@example.org")?.passwordHash == "")
    guard case .existing(account) = try await database.account(of: identity("1"), newEmail: "x@y", unixMs: 6) else {
      Issue.record("The second sign-in finds another account.")
      return
    }
    // The same subject of another issuer is another identity.
    let other = try await database.account(of: identity("1", issuer: "https://b.example"), newEmail: nil, unixMs: 6)
    guard case .unknown = other else {
      Issue.record("\(other)")
      return
    }
  }

  @Test(
    "A sign-in with a taken address, or without permission to sign up, gets no account",
    arguments: StoreKind.allCases)
  func refused(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    _ = try await database.addAccount("ada")
    guard case .emailTaken = try await database.account(of: identity("1"), newEmail: "ada@example.org", unixMs: 6),
      case .unknown = try await database.account(of: identity("1"), newEmail: nil, unixMs: 6)
    else {
      Issue.record("The sign-in got an account.")
      return
    }
    #expect(try await database.accountCount == 1)
  }

  @Test("Ten concurrent first sign-ins create one account", arguments: StoreKind.allCases)
  func atOnce(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let gate = try await Gate(database)
    let identity = try identity("1")
    let accounts = await withTaskGroup(of: AccountID?.self) { group in
      for number in 0..<10 {
        group.addTask {
          switch try? await database.account(of: identity, newEmail: "a\(number)@b", unixMs: 5) {
          case .created(let account), .existing(let account): account.id
          default: nil
          }
        }
      }
      gate.open()
      return await group.reduce(into: Set<AccountID?>()) { $0.insert($1) }
    }
    let count = try await database.accountCount
    #expect(accounts.count == 1 && count == 1)
  }

  private let token = [UInt8](repeating: 1, count: 32)

  private func link(
    _ database: any IngestStore, _ subject: String, to account: AccountID, session: [UInt8]? = nil, unixMs: Int64 = 7
  ) async throws -> String {
    let outcome = try await database.link(identity(subject), to: account, session: session ?? token, unixMs: unixMs)
    return switch outcome {
    case .linked: "linked"
    case .linkedToAnother: "linked to another"
    case .tooMany: "too many"
    case .noSession: "no session"
    }
  }

  @Test(
    "An account has identities up to a limit, and each identity belongs to one account and is deleted with it",
    arguments: StoreKind.allCases)
  func linked(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let ada = try await database.addAccount("ada")
    let bob = try await makeAccount(database, "bob", email: "bob@example.org")
    let bobs = [UInt8](repeating: 2, count: 32)
    try await database.addSession(tokenHash: token, account: ada, unixMs: 5, expiresMs: 100)
    try await database.addSession(tokenHash: bobs, account: bob.id, unixMs: 5, expiresMs: 100)
    for number in 1...Limits.identitiesOfAccountMax {
      #expect(try await link(database, "\(number)", to: ada, unixMs: Int64(number)) == "linked")
    }
    #expect(try await link(database, "more", to: ada) == "too many")
    #expect(try await link(database, "1", to: ada) == "linked")
    #expect(try await link(database, "1", to: bob.id, session: bobs) == "linked to another")
    #expect(try await link(database, "bob", to: ada) == "linked to another")
    let all = try await database.identities(of: ada)
    #expect(all.map(\.subject) == (1...Limits.identitiesOfAccountMax).map { "\($0)" } && all.first?.createdMs == 1)
    #expect(try await database.close(ada, unixMs: 8))
    #expect(try await database.identities(of: bob.id).count == 1)
    #expect(try await link(database, "1", to: ada) == "no session")
    guard case .unknown = try await database.account(of: identity("1"), newEmail: nil, unixMs: 9) else {
      Issue.record("The identity of the closed account still exists.")
      return
    }
    #expect(try await makeAccount(database, "1", email: "new@example.org").id != ada)
  }

  @Test(
    "A session that is expired, ended or of another account links no identity", arguments: StoreKind.allCases)
  func session(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let (ada, bob) = (try await database.addAccount("ada"), try await database.addAccount("bob"))
    try await database.addSession(tokenHash: token, account: ada, unixMs: 5, expiresMs: 100)
    #expect(try await link(database, "1", to: bob) == "no session")
    #expect(try await link(database, "1", to: ada, unixMs: 100) == "no session")
    #expect(try await database.changePassword(of: ada, "another", from: "hash of ada"))
    #expect(try await link(database, "1", to: ada) == "no session")
    #expect(try await database.identities(of: ada).isEmpty)
  }

  @Test("An identity is unlinked unless it is the last way to log in", arguments: StoreKind.allCases)
  func unlinked(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let ada = try await makeAccount(database, "1", email: "ada@example.org").id
    try await database.addSession(tokenHash: token, account: ada, unixMs: 5, expiresMs: 100)
    let first = try #require(try await database.identities(of: ada).first)
    func unlink(
      _ identity: LinkedIdentity, from account: AccountID, isConfigured: Bool = true
    ) async throws -> String {
      let issuers: Set = isConfigured ? [identity.issuer] : []
      return "\(try await database.unlink(identity, from: account, issuers: issuers))"
    }
    #expect(try await unlink(first, from: ada) == "last")
    #expect(try await link(database, "2", to: ada) == "linked")
    #expect(try await unlink(first, from: try await database.addAccount("bob")) == "notFound")
    #expect(
      try await unlink(first, from: ada, isConfigured: false) == "last",
      "The other identity's issuer is not configured, so it does not count.")
    #expect(try await unlink(first, from: ada) == "unlinked")
    #expect(try await unlink(first, from: ada) == "notFound")
    let second = try #require(try await database.identities(of: ada).first)
    #expect(second.subject == "2")
    #expect(try await unlink(second, from: ada) == "last")
    #expect(try await database.changePassword(of: ada, "$argon2id$x", from: ""))
    #expect(try await unlink(second, from: ada) == "unlinked")
  }

  @Test("A password set by the operator ends all sessions and identities", arguments: StoreKind.allCases)
  func reset(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let ada = try await makeAccount(database, "1", email: "ada@example.org").id
    let bob = try await makeAccount(database, "2", email: "bob@example.org").id
    try await database.addSession(tokenHash: token, account: ada, unixMs: 5, expiresMs: 100)
    #expect(try await database.setPassword(of: ada, "$argon2id$x", from: nil, ending: .sessionsAndIdentities))
    #expect(try await database.session(tokenHash: token) == nil)
    #expect(try await database.identities(of: ada).isEmpty)
    #expect(try await database.identities(of: bob).count == 1)
    #expect(try await database.credentials(email: "ada@example.org")?.passwordHash == "$argon2id$x")
  }

  @Test("An account created by a provider login can set its first password", arguments: StoreKind.allCases)
  func password(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let account = try await makeAccount(database, "1", email: "ada@example.org")
    #expect(try await database.changePassword(of: account.id, "$argon2id$x", from: ""))
    #expect(try await database.account(account.id)?.hasPassword == true)
  }
}
