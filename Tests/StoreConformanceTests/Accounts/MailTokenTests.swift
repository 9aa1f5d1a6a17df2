import Domain
import Store
import StoreTesting
import Testing

@Suite("Tokens in mails")
struct MailTokenTests {
  private func hash(_ number: UInt8) -> [UInt8] { Array(repeating: number, count: 32) }

  /// Stores a token for ada@example.org. Returns its account.
  private func add(
    _ database: any IngestStore, _ number: UInt8, _ purpose: MailToken.Purpose = .recovery,
    to email: String = "ada@example.org", unixMs: Int64 = 1_000
  ) async throws -> Account? {
    try await database.addMailToken(
      MailToken(hash: hash(number), purpose: purpose, unixMs: unixMs), email: email, unixMs: unixMs)
  }

  /// Returns the numbers of the valid tokens.
  private func valid(
    _ database: any IngestStore, _ purpose: MailToken.Purpose = .recovery, unixMs: Int64 = 1_000
  ) async throws -> [UInt8] {
    var valid: [UInt8] = []
    for number in UInt8(1)...20 {
      let account = try await database.account(ofMailToken: hash(number), purpose, unixMs: unixMs)
      if account != nil { valid.append(number) }
    }
    return valid
  }

  @Test("A token belongs to its account and purpose until it expires", arguments: StoreKind.allCases)
  func lifetime(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let ada = try await database.addAccount()
    _ = try await database.addAccount("bob")
    #expect(try await add(database, 1)?.id == ada)
    #expect(try await add(database, 2, .confirmation)?.id == ada)
    #expect(try await database.account(ofMailToken: hash(1), .recovery, unixMs: 1_800_999)?.id == ada)
    #expect(try await database.account(ofMailToken: hash(1), .recovery, unixMs: 1_801_000) == nil)
    #expect(try await database.account(ofMailToken: hash(2), .confirmation, unixMs: 86_400_999)?.id == ada)
    #expect(try await database.account(ofMailToken: hash(2), .confirmation, unixMs: 86_401_000) == nil)
    #expect(try await database.account(ofMailToken: hash(1), .confirmation, unixMs: 1_000) == nil)
    #expect(try await database.account(ofMailToken: hash(2), .recovery, unixMs: 1_000) == nil)
    #expect(try await database.recover(mailToken: hash(2), passwordHash: "new", unixMs: 1_000) == nil)
    #expect(try await database.confirmEmail(mailToken: hash(1), unixMs: 1_000) == nil)
    #expect(try await database.recover(mailToken: hash(1), passwordHash: "new", unixMs: 1_801_000) == nil)
    #expect(try await database.confirmEmail(mailToken: hash(2), unixMs: 86_401_000) == nil)
    #expect(try await database.credentials(email: "ada@example.org")?.passwordHash == "hash of ada")
  }

  @Test("Tokens survive a restart", arguments: StoreKind.allCases)
  func restart(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let ada = try await database.addAccount()
    _ = try await add(database, 1)
    database.close()
    let again = try place.open()
    #expect(try await again.recover(mailToken: hash(1), passwordHash: "new", unixMs: 1_000)?.id == ada)
  }

  @Test("An unknown address and an account that may not log in get no token", arguments: StoreKind.allCases)
  func refused(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let ada = try await database.addAccount()
    #expect(try await add(database, 1, to: "eve@example.org") == nil)
    _ = try await add(database, 2)
    try await database.set(ada, .disabled(sinceMs: 5))
    #expect(try await add(database, 3) == nil)
    #expect(try await valid(database) == [], "A disabled account cannot use its tokens.")
    #expect(try await database.recover(mailToken: hash(2), passwordHash: "new", unixMs: 1_000) == nil)
    try await database.set(ada, .enabled)
    #expect(try await valid(database) == [2])
    #expect(try await database.close(ada, unixMs: 9))
    #expect(try await add(database, 4) == nil)
    #expect(try await valid(database) == [])
  }

  @Test(
    "A recovery sets the password, confirms the address, and ends sessions and all tokens of the account",
    arguments: StoreKind.allCases)
  func recovery(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let (ada, bob) = (try await database.addAccount(), try await database.addAccount("bob"))
    for (number, account) in [(UInt8(1), ada), (2, ada), (3, bob)] {
      try await database.addSession(tokenHash: [number], account: account, unixMs: 1, expiresMs: 100_000)
    }
    for number in UInt8(1)...2 { _ = try await add(database, number) }
    _ = try await add(database, 3, .confirmation)
    _ = try await add(database, 4, to: "bob@example.org")
    let account = try #require(try await database.recover(mailToken: hash(1), passwordHash: "new", unixMs: 1_000))
    #expect(account.id == ada && account.isEmailConfirmed)
    #expect(try await database.account(ada) == account)
    #expect(try await database.credentials(email: "ada@example.org")?.passwordHash == "new")
    #expect(try await database.sessions(of: ada, unixMs: 1).isEmpty)
    #expect(try await database.sessions(of: bob, unixMs: 1).count == 1)
    #expect(try await valid(database) == [4])
    #expect(try await valid(database, .confirmation) == [])
    #expect(try await database.recover(mailToken: hash(1), passwordHash: "newer", unixMs: 1_000) == nil)
    #expect(try await database.credentials(email: "bob@example.org")?.passwordHash == "hash of bob")
  }

  @Test("A recovery unlinks the providers of an unconfirmed address only", arguments: StoreKind.allCases)
  func unlinks(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let ada = try await database.addAccount()
    let identity = try #require(
      ProvidedIdentity(
        issuer: "https://login.example", subject: "1", email: nil, givenName: "Eve", familyName: nil, name: nil))
    for (number, remaining) in [(UInt8(1), 0), (2, 1)] {
      try await database.addSession(tokenHash: [number], account: ada, unixMs: 1, expiresMs: 100_000)
      _ = try await database.link(identity, to: ada, session: [number], unixMs: 2)
      #expect(try await database.identities(of: ada).count == 1)
      _ = try await add(database, number)
      _ = try await database.recover(mailToken: hash(number), passwordHash: "new", unixMs: 1_000)
      #expect(try await database.identities(of: ada).count == remaining, "The first recovery confirms the address.")
    }
  }

  @Test("Ten concurrent recoveries with one token set one password", arguments: StoreKind.allCases)
  func once(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    _ = try await database.addAccount()
    _ = try await add(database, 1)
    let (gate, token) = (try await Gate(database), hash(1))
    let passwords: [String] = await withTaskGroup(of: String?.self) { group in
      for number in 0..<10 {
        group.addTask {
          let account = try? await database.recover(mailToken: token, passwordHash: "new \(number)", unixMs: 1_000)
          return account == nil ? nil : "new \(number)"
        }
      }
      gate.open()
      return await group.reduce(into: []) { if let password = $1 { $0.append(password) } }
    }
    #expect(passwords.count == 1)
    #expect(try await database.credentials(email: "ada@example.org")?.passwordHash == passwords.first)
  }

  @Test("A confirmation works once, and a confirmed address needs no token", arguments: StoreKind.allCases)
  func confirmation(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let ada = try await database.addAccount()
    #expect(try await database.account(ada)?.isEmailConfirmed == false)
    _ = try await add(database, 1)
    for number in UInt8(2)...3 { _ = try await add(database, number, .confirmation) }
    let account = try #require(try await database.confirmEmail(mailToken: hash(2), unixMs: 1_000))
    #expect(account.id == ada && account.isEmailConfirmed)
    #expect(try await database.account(ada) == account)
    #expect(try await database.confirmEmail(mailToken: hash(2), unixMs: 1_000) == nil)
    #expect(try await valid(database, .confirmation) == [])
    #expect(try await valid(database) == [1], "The recovery token stays.")
    #expect(try await add(database, 4, .confirmation) == nil)
    #expect(try await database.credentials(email: "ada@example.org")?.passwordHash == "hash of ada")
  }

  @Test("An account that an operator or a provider vouches for is confirmed", arguments: StoreKind.allCases)
  func vouched(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    var registration = try Registration(
      email: "grace@example.org", password: "a password", firstName: "Grace", lastName: "")
    registration.isEmailConfirmed = true
    let grace = try await database.addAccount(registration, passwordHash: "x", unixMs: 1)
    #expect(grace.isEmailConfirmed)
    #expect(try await database.account(grace.id) == grace)
    for (subject, newEmail, isConfirmed) in [("1", "a@example.org", true), ("2", "2@login.invalid", false)] {
      let identity = try #require(
        ProvidedIdentity(
          issuer: "https://login.example", subject: subject, email: "a@example.org", givenName: "A", familyName: nil,
          name: nil))
      guard case .created(let account) = try await database.account(of: identity, newEmail: newEmail, unixMs: 1) else {
        Issue.record("The identity \(subject) got no account.")
        continue
      }
      #expect(account.isEmailConfirmed == isConfirmed)
      #expect(try await database.account(account.id) == account)
    }
  }

  @Test("A further token replaces the oldest one of its purpose", arguments: StoreKind.allCases)
  func bounded(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    _ = try await database.addAccount()
    _ = try await add(database, 20, .confirmation)
    for number in UInt8(1)...7 { _ = try await add(database, number, unixMs: 1_000 + Int64(number)) }
    let newest = Array(UInt8(8 - Limits.mailTokensOfAccountMax)...7)
    #expect(try await valid(database) == newest)
    #expect(try await valid(database, .confirmation) == [20])
  }

  @Test("Expired tokens are removed with the next ones", arguments: StoreKind.allCases)
  func swept(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    _ = try await database.addAccount()
    let bob = try await database.addAccount("bob")
    _ = try await add(database, 1)
    await #expect(throws: StoreError.self) { try await self.add(database, 1, to: "bob@example.org") }
    // The hash is free again, so the expired row is gone.
    #expect(try await add(database, 1, to: "bob@example.org", unixMs: 2_000_000)?.id == bob)
  }

  @Test(
    "A new address needs a confirmation and ends all tokens, and a new name changes neither",
    arguments: StoreKind.allCases)
  func newAddress(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let ada = try await database.addAccount()
    _ = try await add(database, 1, .confirmation)
    _ = try await database.confirmEmail(mailToken: hash(1), unixMs: 1_000)
    _ = try await add(database, 2)
    let renamed = try ProfileChange(email: "ada@example.org", firstName: "Augusta", lastName: nil)
    guard case .changed(let same, _) = try await database.change(ada, renamed, unixMs: 9) else {
      Issue.record("The account has no new name.")
      return
    }
    #expect(same.isEmailConfirmed)
    #expect(try await valid(database) == [2])
    let moved = try ProfileChange(email: "new@example.org", firstName: nil, lastName: nil)
    guard case .changed(let account, _) = try await database.change(ada, moved, unixMs: 9) else {
      Issue.record("The account has no new address.")
      return
    }
    #expect(!account.isEmailConfirmed && account.email == "new@example.org")
    #expect(try await database.account(ada) == account)
    #expect(try await valid(database) == [])
  }

  @Test("A new password ends recovery tokens, and keeps the confirmation", arguments: StoreKind.allCases)
  func newPassword(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let ada = try await database.addAccount()
    for ending in [RevokedAccess.sessions, .sessionsAndIdentities] {
      _ = try await add(database, 1)
      _ = try await add(database, 2, .confirmation)
      #expect(try await database.setPassword(of: ada, "rehashed", from: nil, ending: .none))
      #expect(try await valid(database) == [1], "A new hash of the same password ends nothing.")
      #expect(try await database.setPassword(of: ada, "new", from: nil, ending: ending))
      #expect(try await valid(database) == [])
      #expect(try await valid(database, .confirmation) == [2])
      #expect(try await database.confirmEmail(mailToken: hash(2), unixMs: 1_000)?.id == ada)
      let moved = try ProfileChange(email: "a\(ending)@example.org", firstName: nil, lastName: nil)
      _ = try await database.change(ada, moved, unixMs: 9)
      let back = try ProfileChange(email: "ada@example.org", firstName: nil, lastName: nil)
      _ = try await database.change(ada, back, unixMs: 9)
    }
  }
}
