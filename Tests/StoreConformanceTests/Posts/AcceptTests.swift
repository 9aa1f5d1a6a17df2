import Domain
import Store
import StoreTesting
import Testing

@Suite("Acceptance of a post")
struct AcceptTests {
  private let key = Idempotency(key: "key-1", requestHash: [1, 2, 3])

  @Test("An accepted post is stored as submitted, with a job that is due now", arguments: StoreKind.allCases)
  func content(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let account = try await database.addAccount()
    let submission = try Submission(
      place: " São Tomé 京 ", link: "Example.org/x", latitude: 47.606_21, longitude: -122.332_07)
    let accepted = try await database.accepted(submission, by: account, unixMs: 1_700_000_000_123)
    let post = try await #require(database.post(accepted.id))
    #expect(
      post
        == Post(
          id: accepted.id, account: account, place: "São Tomé 京", link: "https://example.org/x", state: .queued,
          coordinate: submission.coordinate, outcome: nil, reason: nil, seq: nil, createdMs: 1_700_000_000_123,
          updatedMs: 1_700_000_000_123))
    let jobs = try database.unsettledJobs()
    #expect(jobs.map(\.job) == [accepted.job?.asRead])
    #expect(jobs.map(\.dueMs) == [0])
    #expect(accepted.job?.query == "São Tomé 京")
    #expect(accepted.job?.clientCoordinate == submission.coordinate)
    #expect(accepted.createdMs == 1_700_000_000_123)
    #expect(try await database.post(.following(accepted.id, unixMs: 0)) == nil)
  }

  @Test(
    "A repeat with the same idempotency key and request is the same post, also after a restart",
    arguments: StoreKind.allCases)
  func idempotent(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    var database: (any IngestStore)? = try place.open()
    let account = try await #require(database).addAccount()
    let first = try await #require(database).accepted(by: account, key: key, unixMs: 1_700_000_000_000)
    let second = try await #require(database).accepted(by: account, key: key, unixMs: 1_700_000_005_000)
    #expect(first.job != nil)
    #expect(second.job == nil)
    #expect(second.id == first.id)
    #expect(second.createdMs == first.createdMs)

    database?.close()

    database = nil
    let again = try place.open()
    let third = try await again.accepted(by: account, key: key)
    #expect(third.id == first.id && third.job == nil)
    try await again.settled([(first.id, .verdict(.at(1)))])
    #expect(try await again.accepted(by: account, key: key).id == first.id, "The key also returns a settled post.")
    #expect(try await again.count(of: account) == 1)
  }

  @Test("A different request with a used idempotency key is refused and stores nothing", arguments: StoreKind.allCases)
  func conflict(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let account = try await database.addAccount()
    let first = try await database.accepted(by: account, key: key)
    await #expect(throws: IdempotencyConflict.self) {
      try await database.accepted("Rome", by: account, key: .init(key: "key-1", requestHash: [1, 2]))
    }
    #expect(try await database.count(of: account) == 1)
    #expect(try await database.post(first.id)?.place == "Oslo")
  }

  @Test("An idempotency key belongs to its account, and other keys make other posts", arguments: StoreKind.allCases)
  func keys(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let (ada, bob) = (try await database.addAccount("ada"), try await database.addAccount("bob"))
    let ids = [
      try await database.accepted(by: ada, key: key).id, try await database.accepted(by: bob, key: key).id,
      try await database.accepted(by: ada, key: .init(key: "key-2", requestHash: [1, 2, 3])).id,
      try await database.accepted(by: ada).id, try await database.accepted(by: ada).id,
    ]
    #expect(Set(ids).count == 5)
  }

  @Test("Concurrent posts with one idempotency key in one commit are one post", arguments: StoreKind.allCases)
  func idempotentAtOnce(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let account = try await database.addAccount()
    let gate = try await Gate(database)
    let accepted = try await withThrowingTaskGroup(of: AcceptedPost.self) { group in
      for _ in 0..<50 { group.addTask { try await database.accepted(by: account, key: key) } }
      gate.open()
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(Set(accepted.map(\.id)).count == 1)
    #expect(accepted.count { $0.job != nil } == 1)
    #expect(try database.unsettledJobs().count == 1)
  }

  @Test("A failed write leaves other writes of its group unharmed", arguments: StoreKind.allCases)
  func neighbours(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let account = try await database.addAccount()
    let submission = try Submission(place: "Oslo", link: "example.org", latitude: nil, longitude: nil)
    let gate = try await Gate(database)
    let (completions, completion) = AsyncStream.makeStream(of: Bool.self)
    for number in 0..<9 {
      let author = number % 3 == 1 ? AccountID(rawValue: 404) : account
      database.accept(submission, account: author, unixMs: 1) { result in
        completion.yield((try? result.get()) != nil)
      }
    }
    gate.open()
    var outcomes: [Bool] = []
    for await outcome in completions.prefix(9) { outcomes.append(outcome) }
    #expect(outcomes == (0..<9).map { $0 % 3 != 1 })
    #expect(try await database.count(of: account) == 6)
    try await database.expectSound()
  }

  @Test("Ids rise over restarts, also after the clock went back", arguments: StoreKind.allCases)
  func clockBack(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    var database: (any IngestStore)? = try place.open()
    let account = try await #require(database).addAccount()
    let first = try await #require(database).accepted(by: account, unixMs: 1_700_000_000_000).id
    database?.close()
    database = nil
    let again = try place.open()
    let second = try await again.accepted(by: account, unixMs: 1_600_000_000_000).id
    #expect(second > first)
    #expect(try again.unsettledJobs().map(\.job.id) == [JobID(first), JobID(second)])
  }

  @Test("An account's posts are listed oldest first, in pages, without those of others", arguments: StoreKind.allCases)
  func pages(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let (ada, bob) = (try await database.addAccount("ada"), try await database.addAccount("bob"))
    var own: [PostID] = []
    for _ in 0..<5 {
      own.append(try await database.accepted(by: ada).id)
      _ = try await database.accepted(by: bob)
    }
    #expect(try await database.posts(of: ada, after: nil, limit: 3).posts.map(\.id) == Array(own[..<3]))
    #expect(try await database.posts(of: ada, after: own[2], limit: 3).posts.map(\.id) == Array(own[3...]))
    #expect(try await database.posts(of: ada, after: own[4], limit: 3).posts.isEmpty)
  }
}
