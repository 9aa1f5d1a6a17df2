import Domain
import Store
import StoreTesting
import Testing

@Suite("Acceptance of a batch")
struct BatchTests {

  private func entry(
    _ key: String, place: String = "Oslo", hash: [UInt8] = [1]
  ) throws -> NewPost {
    NewPost(
      try Submission(place: place, link: "example.org", latitude: nil, longitude: nil),
      Idempotency(key: key, requestHash: hash))
  }

  private func accept(
    _ entries: [NewPost], _ database: any IngestStore, by account: AccountID, capacity: Int = 100
  ) async throws -> [Acceptance] {
    try await database.accept(entries, account: account, capacity: capacity)
  }

  @Test("A batch is stored with its jobs, in order", arguments: StoreKind.allCases)
  func together(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let account = try await database.addAccount()
    let entries = try (0..<64).map { try entry("k-\($0)", place: "Oslo \($0)") }
    let accepted = try await accept(entries, database, by: account).compactMap(\.accepted)
    #expect(accepted.map(\.job?.query) == (0..<64).map { "Oslo \($0)" })
    #expect(accepted.map(\.id) == accepted.map(\.id).sorted())
    #expect(try database.unsettledJobs().map(\.job) == accepted.map { $0.job?.asRead })
    try await database.expectSound()
  }

  @Test(
    "A used key within a batch returns the earlier post, and a conflict is refused alone",
    arguments: StoreKind.allCases)
  func keys(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let account = try await database.addAccount()
    let earlier = try await database.accepted(by: account, key: entry("old").idempotency)
    let all = try await accept(
      [entry("old"), entry("new"), entry("new"), entry("old", hash: [2]), entry("new", hash: [2]), entry("last")],
      database, by: account)
    #expect(all[0].accepted?.id == earlier.id && all[0].accepted?.job == nil)
    #expect(all[1].accepted?.job != nil)
    #expect(all[2].accepted?.id == all[1].accepted?.id && all[2].accepted?.job == nil)
    for refused in all[3...4] {
      guard case .conflict = refused else {
        Issue.record("\(refused)")
        continue
      }
    }
    #expect(all[5].accepted?.job != nil)
    #expect(try await database.count(of: account) == 3)
  }

  @Test(
    "Used keys within a large batch return the earlier posts, and other posts are new",
    arguments: StoreKind.allCases)
  func manyKeys(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let account = try await database.addAccount()
    let earlier = try await database.accepted(by: account, key: entry("old").idempotency)
    // More posts than fit one statement.
    var entries = try (0..<40).map { try entry("k-\($0)", place: "Oslo \($0)") }
    entries[3] = try entry("old")
    entries[9] = try entry("k-2", place: "Oslo 2")
    entries[12] = try entry("k-1", hash: [2])
    entries[30] = try entry("k-9", hash: [1])
    let all = try await accept(entries, database, by: account)
    #expect(all[3].accepted?.id == earlier.id && all[3].accepted?.job == nil)
    #expect(all[9].accepted?.id == all[2].accepted?.id && all[9].accepted?.job == nil)
    guard case .conflict = all[12] else {
      Issue.record("\(all[12])")
      return
    }
    let new = all.enumerated().filter { ![3, 9, 12].contains($0.offset) }.map(\.element)
    #expect(new.allSatisfy { $0.accepted?.job != nil })
    let ids = new.compactMap(\.accepted?.id)
    #expect(ids == ids.sorted() && Set(ids).count == 37)
    #expect(try await database.count(of: account) == 38)
    let jobs = try database.unsettledJobs().map(\.job)
    #expect(jobs.dropFirst() == new.compactMap { $0.accepted?.job?.asRead }[...])
    // A repeat of the batch stores nothing new.
    let again = try await accept(entries, database, by: account)
    #expect(again.compactMap(\.accepted?.id) == all.compactMap(\.accepted?.id))
    #expect(again.allSatisfy { $0.accepted?.job == nil })
    try await database.expectSound()
    // Unused ids do not count as missing posts at the next start.
    database.close()
    let reopened = try place.open()
    #expect(try await reopened.count(of: account) == 38)
  }

  @Test("A post without a key is always new, also in a batch with used keys", arguments: StoreKind.allCases)
  func withoutKey(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let account = try await database.addAccount()
    // More posts than fit one statement.
    let entries = try (0..<20).map { number in
      let post = try entry("k-\(number)", place: "Oslo \(number)")
      return NewPost(post.submission, number % 2 == 0 ? post.idempotency : nil)
    }
    let first = try await accept(entries, database, by: account)
    let second = try await accept(entries, database, by: account)
    #expect(first.allSatisfy { $0.accepted?.job != nil })
    for (number, (before, after)) in zip(first, second).enumerated() {
      #expect((after.accepted?.job == nil) == (number % 2 == 0))
      #expect((after.accepted?.id == before.accepted?.id) == (number % 2 == 0))
    }
    #expect(try await database.count(of: account) == 30)
    let third = try await accept(entries, database, by: account, capacity: 0)
    #expect(third.count { $0.accepted != nil } == 10, "Earlier posts need no capacity.")
    try await database.expectSound()
  }

  @Test("A large batch beyond the capacity is stored up to the capacity", arguments: StoreKind.allCases)
  func manyBeyondCapacity(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let account = try await database.addAccount()
    _ = try await accept([entry("k-5")], database, by: account)
    let entries = try (0..<40).map { try entry("k-\($0)") }
    for (capacity, stored) in [(15, 16), (1, 17), (16, 33)] {
      let all = try await accept(entries, database, by: account, capacity: capacity)
      #expect(all.count { $0.accepted != nil } == stored, "\(capacity)")
      #expect(try await database.count(of: account) == stored)
    }
  }

  @Test(
    "New posts beyond the capacity get `backlogFull`, and earlier posts need no capacity",
    arguments: StoreKind.allCases)
  func capacity(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let account = try await database.addAccount()
    let earlier = try await database.accepted(by: account, key: entry("old").idempotency)
    for (capacity, stored) in [(0, 1), (2, 3)] {
      let all = try await accept(
        [entry("a"), entry("b"), entry("c"), entry("old")], database, by: account, capacity: capacity)
      for (index, acceptance) in all.dropLast().enumerated() {
        if index < capacity {
          #expect(acceptance.accepted?.job != nil)
        } else if case .backlogFull = acceptance {
        } else {
          Issue.record("post \(index) of capacity \(capacity): \(acceptance)")
        }
      }
      #expect(all[3].accepted?.id == earlier.id)
      #expect(try await database.count(of: account) == stored)
    }
  }

  @Test("A failed batch stores nothing, and leaves other batches unharmed", arguments: StoreKind.allCases)
  func whole(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let account = try await database.addAccount()
    let gate = try await Gate(database)
    async let refused = accept([entry("a"), entry("b")], database, by: AccountID(rawValue: 404))
    async let accepted = accept([entry("a"), entry("b")], database, by: account)
    gate.open()
    var isRefused = false
    do { _ = try await refused } catch is StoreError { isRefused = true }
    let stored = try await accepted.compactMap(\.accepted)
    #expect(isRefused && stored.count == 2)
    #expect(try await database.count(of: account) == 2)
    try await database.expectSound()
  }

  @Test("A read by ids omits missing posts and returns each post once", arguments: StoreKind.allCases)
  func found(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let account = try await database.addAccount()
    let ids = try await accept([entry("a"), entry("b")], database, by: account).compactMap(\.accepted?.id)
    let missing = PostID.following(ids.last, unixMs: 1_800_000_000_000)
    let posts = try await database.posts(ids + [missing, ids[0]])
    #expect(Set(posts.map(\.id)) == Set(ids) && posts.count == 2)
    #expect(try await database.posts([missing]).isEmpty)
  }
}
