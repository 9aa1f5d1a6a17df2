import Domain
import Store
import StoreTesting
import Testing

@Suite("Profile changes and account deletion")
struct ProfileTests {

  private func change(
    _ database: any IngestStore, _ account: AccountID, email: String? = nil, first: String? = nil, last: String? = nil
  ) async throws -> PostWriteResult.Profile {
    let change = try ProfileChange(email: email, firstName: first, lastName: last)
    return try await database.change(account, change, unixMs: 9)
  }

  private func erase(
    _ database: any IngestStore, _ account: AccountID, after: PostID? = nil
  ) async throws -> PostWriteResult.Erasure {
    try await database.erasePosts(of: account, after: after, unixMs: 9)
  }

  @Test(
    "A new name changes all posts of the account on the list, and the changes lead to the stored list",
    arguments: StoreKind.allCases)
  func rename(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let (ada, bob) = (try await database.addAccount(), try await database.addAccount("bob"))
    let old = try await database.published(1, by: ada)[0]
    var expected: [PostID] = []
    for _ in 0..<50 {
      expected += try await database.published(1, by: ada)
      _ = try await database.published(1, by: bob)
    }
    var state = try database.feed()
    for (first, count) in [("Augusta", 50), ("ada", 0), (nil, 0)] as [(String?, Int)] {
      let named = try ProfileChange(email: "new@example.org", firstName: first, lastName: nil)
      #expect(try await database.listedPosts(renamedBy: named, of: ada) == count)
    }
    guard case .changed(let account, let changes) = try await change(database, ada, first: "Augusta") else {
      Issue.record("the rename changed nothing")
      return
    }
    #expect(account.firstName == "Augusta" && account.lastName == "Lovelace" && account.email == "ada@example.org")
    #expect(changes.count == 50)
    state.apply(changes)
    #expect(try database.feed() == state, "The hash is equal, too: it covers ids and sequence numbers.")
    #expect(
      Array(state.entries.prefix(50).map(\.id)) == expected.reversed() && !state.entries.contains { $0.id == old })
    #expect(state.entries.prefix(50).allSatisfy { $0.firstName == "Augusta" })
    // Later posts have the new name, too, so the name cache is up to date.
    let next = try await database.published(1, by: ada)[0]
    #expect(try database.feed().entries.first { $0.id == next }?.firstName == "Augusta")
    #expect(try database.feed().entries.first?.firstName == "Augusta")
    let settled = try await database.settled([
      (try await database.accepted(by: ada, unixMs: 1_700_000_100_000).id, .verdict(.at(5)))
    ])
    #expect(settled.map(\.firstName) == ["Augusta"])
    try await database.expectSound()
  }

  @Test(
    "An unchanged name publishes no change, and a taken address changes nothing",
    arguments: StoreKind.allCases)
  func address(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let (ada, bob) = (try await database.addAccount(), try await database.addAccount("bob"))
    _ = try await database.published(2, by: ada)
    let seq = try database.feed().seq
    for (email, first) in [(nil, "ada"), ("ada@example.org", nil), (" New@Example.org", nil)] as [(String?, String?)] {
      guard case .changed(_, let changes) = try await change(database, ada, email: email, first: first) else {
        Issue.record("refused")
        continue
      }
      #expect(changes.isEmpty)
    }
    #expect(try await database.account(ada)?.email == "new@example.org")
    guard case .emailTaken = try await change(database, bob, email: "new@example.org", first: "Eve") else {
      Issue.record("two accounts have one address")
      return
    }
    #expect(try await database.account(bob)?.firstName == "bob")
    guard case .notFound = try await change(database, AccountID(rawValue: 99), first: "Eve") else {
      Issue.record("an unknown account was changed")
      return
    }
    #expect(try database.feed().seq == seq)
  }

  @Test(
    "A deleted account's posts are erased in batches of a hundred, and none of its data are left",
    arguments: StoreKind.allCases, [0, 99, 100, 101])
  func deleted(kind: StoreKind, count: Int) async throws {
    let place = StorePlace(kind)
    let first = try place.open()
    let (ada, bob) = (try await first.addAccount(), try await first.addAccount("bob"))
    try await first.addSession(
      tokenHash: Array(repeating: 7, count: 32), account: ada, unixMs: 1, expiresMs: 1_000)
    let kept = try await first.published(5, by: bob)
    if count > 2 { _ = try await first.published(count - 2, by: ada) }
    var queued: [PostID] = []
    for index in 0..<min(count, 2) {
      let key = Idempotency(key: "secret-key-\(index)", requestHash: [1])
      queued.append(try await first.accepted("Secret place", by: ada, key: key, unixMs: 1_700_000_200_000).id)
    }
    var state = try first.feed()
    #expect(try await first.close(ada, unixMs: 8))
    #expect(try await !first.close(ada, unixMs: 8), "An account is closed once.")
    #expect(try await first.credentials(email: "ada@example.org") == nil)
    #expect(try await first.session(tokenHash: Array(repeating: 7, count: 32)) == nil)
    #expect(try first.feed() == state, "Closing does not change the list yet: erasePosts does.")
    await #expect(throws: StoreError.self) { try await first.accepted("Late", by: ada) }
    // A store that is killed now continues the erasure after its next start.
    first.close()
    let again = try place.open()
    #expect(try again.closing() == [ada])
    var (next, pages, unlisted) = (nil as PostID?, 0, [PostID]())
    repeat {
      let erasure = try await erase(again, ada, after: next)
      #expect(erasure.changes.count + erasure.unlisted.count <= 100)
      state.apply(erasure.changes)
      unlisted += erasure.unlisted
      (next, pages) = (erasure.next, pages + 1)
    } while next != nil
    #expect(pages == count / 100 + 1 && unlisted == queued)
    #expect(try again.feed() == state && state.entries.map(\.id) == kept.reversed())
    #expect(try again.closing().isEmpty)
    #expect(try await again.posts(of: ada, after: nil, limit: 1).posts.isEmpty)
    try await again.expectSound()
    #expect(try await again.account(ada) == nil)
    #expect(try await again.accountCount == 1)
    let key = Idempotency(key: "secret-key-0", requestHash: [1])
    #expect(try await again.accepted(key, account: ada) == nil, "The idempotency keys are deleted.")
    for text in ["ada", "Secret"] {
      let found = try await again.published(PostFilter(text: text), below: nil, limit: 10)
      #expect(found.entries.isEmpty && found.next == nil, "\(text)")
    }
    let newcomer = try await again.addAccount("ada")
    #expect(newcomer.rawValue > bob.rawValue, "The address is free again, but the id is not reused.")
  }
}
