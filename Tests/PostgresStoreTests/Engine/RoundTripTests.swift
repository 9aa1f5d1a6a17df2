import Domain
import Store
import StoreTesting
import Testing

@testable import PostgresStore

@Suite("Round trips of a write")
struct RoundTripTests {
  private static let reason = Verdict.Reason(code: "down", detail: "try again")

  /// Accepts posts, and returns their ids.
  private func accept(_ count: Int, in store: PostgresDatabase, by account: AccountID) async throws -> [PostID] {
    let posts = try (0..<count).map { number in
      NewPost(try Submission(place: "Lima \(number)", link: "example.org", latitude: nil, longitude: nil), nil)
    }
    return try await store.accept(posts, account: account, capacity: count).compactMap { $0.accepted?.id }
  }

  /// Returns the number of round trips that a write needs within its transaction.
  private func trips(
    of store: PostgresDatabase, _ write: @escaping @Sendable (PostgresConnection, Writer) throws -> Void
  ) async throws -> Int {
    try await store.write { connection, writer in
      let before = connection.roundTrips
      try write(connection, writer)
      return connection.roundTrips - before
    }
  }

  @Test("Settlements of every kind take as many round trips for 40 posts of each kind as for one")
  func settlements() async throws {
    let database = try TestDatabase()
    let store = try database.open()
    defer { store.close() }
    let account = try await store.addAccount()
    var found: [Int] = []
    for count in [1, 40] {
      let ids = try await accept(5 * count, in: store, by: account)
      let kinds: [Settlement] = [
        .verdict(.at(1)), .retry(attempts: 2, pauseMs: 9, reason: Self.reason), .leaseLost,
        .dead(Self.reason, attempts: 3), .leaseLost,
      ]
      // The last fifth of the posts loses a lease, and dies of it.
      let records =
        ids.enumerated().map { SettlementRecord($1, kinds[$0 % 5]) }
        + ids.enumerated().filter { $0.offset % 5 == 4 }.map { SettlementRecord($1, .dead(Self.reason)) }
      found.append(
        try await trips(of: store) { connection, writer in
          let result = try writer.settle(records, 9, number: writer.numbers.commit, connection)
          guard result.entries.count == count, result.notQueued.isEmpty else { throw IdempotencyConflict() }
        })
    }
    #expect(found[0] == found[1] && found[0] <= 6, "\(found)")
    let states = "SELECT state, count(*) FROM outcome GROUP BY state ORDER BY state"
    #expect(try database.sql(states) == "1|41\n3|82")
    let attempts = "SELECT attempts, lease_losses, count(*) FROM attempt GROUP BY 1, 2 ORDER BY 1, 2"
    #expect(try database.sql(attempts) == "0|1|82\n2|0|41\n3|0|41")
    let events = "SELECT kind, count(*) FROM post_event GROUP BY kind ORDER BY kind"
    let kinds: [PostEvent.Kind] = [.failed, .leaseLost, .died]
    let rows = kinds.map { ($0.rawValue, $0 == .failed ? 41 : 82) }.sorted { $0.0 < $1.0 }.map { "\($0)|\($1)" }
    #expect(try database.sql(events) == rows.joined(separator: "\n"))
    #expect(try database.sql("SELECT count(*) = max(id) FROM post_event") == "t", "The ids have no gaps.")
  }

  @Test("An operator's retry and discard take as many round trips for 40 dead posts as for one")
  func deadPosts() async throws {
    let database = try TestDatabase()
    let store = try database.open()
    defer { store.close() }
    let account = try await store.addAccount()
    var found: [[Int]] = []
    for count in [1, 40] {
      let ids = try await accept(2 * count, in: store, by: account)
      try await store.settled(ids.map { ($0, .dead(Self.reason)) })
      let (retried, discarded) = (Array(ids[..<count]), Array(ids[count...]))
      found.append([
        try await trips(of: store) { connection, writer in
          _ = try writer.retryDead(.posts(retried), limit: count, 9, connection)
        },
        try await trips(of: store) { connection, writer in _ = try writer.discard(discarded, 9, connection) },
      ])
    }
    #expect(found[0] == found[1] && found[0].allSatisfy { $0 <= 3 }, "\(found)")
    #expect(try database.sql("SELECT state, count(*) FROM outcome GROUP BY state") == "2|41")
    #expect(try database.sql("SELECT count(*) FROM post_event") == "\(82 + 41 + 41)")
  }
}
