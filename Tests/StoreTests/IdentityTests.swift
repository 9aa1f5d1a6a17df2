import Testing

@testable import OnTheMap
@testable import Store

@Suite("Identities of providers")
struct IdentityTests {
  private let folder = Folder()

  private func identity(_ subject: String, issuer: String = "https://login.example") throws -> ProvidedIdentity {
    try #require(
      ProvidedIdentity(
        issuer: issuer, subject: subject, email: nil, givenName: "Ada", familyName: "Lovelace", name: nil))
  }

  private func made(_ database: IngestDatabase, _ subject: String, email: String) async throws -> Account {
    let outcome = try await database.account(of: identity(subject), newEmail: email, unixMs: 5)
    guard case .made(let account) = outcome else { throw StoreError.unusable(path: "", reason: "\(outcome)") }
    return account
  }

  @Test("Whoever comes for the first time gets an account without a password, and the same one ever after")
  func made() async throws {
    let database = try folder.open()
    let account = try await made(database, "1", email: "ada@example.org")
    #expect(!account.hasPassword && account.firstName == "Ada" && account.createdMs == 5)
    #expect(try await database.credentials(email: "ada@example.org")?.passwordHash == "")
    guard case .known(account) = try await database.account(of: identity("1"), newEmail: "x@y", unixMs: 6) else {
      Issue.record("It is another account.")
      return
    }
    // Another's name for somebody means nothing here.
    let other = try await database.account(of: identity("1", issuer: "https://b.example"), newEmail: nil, unixMs: 6)
    guard case .unknown = other else {
      Issue.record("\(other)")
      return
    }
  }

  @Test("An account's address is not taken for whom a provider knows by it, and sign-up may be closed")
  func refused() async throws {
    let database = try folder.open()
    _ = try await database.addAccount("ada")
    guard case .emailTaken = try await database.account(of: identity("1"), newEmail: "ada@example.org", unixMs: 6),
      case .unknown = try await database.account(of: identity("1"), newEmail: nil, unixMs: 6)
    else {
      Issue.record("It has an account.")
      return
    }
    #expect(try database.number("SELECT count(*) FROM account") == 1)
    #expect(try database.number("SELECT count(*) FROM identity") == 0)
  }

  @Test("Ten that come at once for the first time are one account")
  func atOnce() async throws {
    let database = try folder.open()
    let gate = await Gate(database)
    let identity = try identity("1")
    let accounts = await withTaskGroup(of: AccountID?.self) { group in
      for number in 0..<10 {
        group.addTask {
          switch try? await database.account(of: identity, newEmail: "a\(number)@b", unixMs: 5) {
          case .made(let account), .known(let account): account.id
          default: nil
          }
        }
      }
      gate.open()
      return await group.reduce(into: Set<AccountID?>()) { $0.insert($1) }
    }
    let count: Int = try database.number("SELECT count(*) FROM account")
    #expect(accounts.count == 1 && count == 1)
  }

  @Test("An account has so many identities, each is one account's, and goes with it")
  func linked() async throws {
    let database = try folder.open()
    let ada = try await database.addAccount("ada")
    let bob = try await made(database, "bob", email: "bob@example.org")
    for number in 1...Limits.identitiesOfAccountMax {
      guard case .linked = try await database.link(identity("\(number)"), to: ada, unixMs: 7) else {
        Issue.record("\(number) is not linked.")
        return
      }
    }
    guard case .tooMany = try await database.link(identity("more"), to: ada, unixMs: 7),
      case .linked = try await database.link(identity("1"), to: ada, unixMs: 7),
      case .taken = try await database.link(identity("1"), to: bob.id, unixMs: 7),
      case .taken = try await database.link(identity("bob"), to: ada, unixMs: 7)
    else {
      Issue.record("It is linked, or is not.")
      return
    }
    #expect(try await database.close(ada, unixMs: 8))
    #expect(try database.number("SELECT count(*) FROM identity") == 1, "Bob's.")
    guard case .noAccount = try await database.link(identity("1"), to: ada, unixMs: 9),
      case .unknown = try await database.account(of: identity("1"), newEmail: nil, unixMs: 9)
    else {
      Issue.record("Something is left of it.")
      return
    }
    #expect(try await made(database, "1", email: "new@example.org").id != ada)
  }

  @Test("A new password makes it an account with one")
  func password() async throws {
    let database = try folder.open()
    let account = try await made(database, "1", email: "ada@example.org")
    try await database.removeSessions(of: account.id, passwordHash: "$argon2id$x")
    #expect(try await database.account(account.id)?.hasPassword == true)
  }
}
