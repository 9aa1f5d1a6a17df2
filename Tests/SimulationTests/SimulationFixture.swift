import Foundation
import Fuzzing
import GRDB
import Store
import StoreTesting

@testable import Domain
@testable import SQLiteStore

/// A template database, created once for many runs.
final class SimulationFixture: Sendable {
  static let accounts = 3
  /// Number of posts before the run: more than the list holds, so that a deletion refills the list.
  private static let postsBefore = Limits.feedEntriesMax + 10
  let template: String
  let posts: [PostID: Ledger.Entry]

  init() async throws {
    template = SimulatedStore.parentFolder + "/onthemap-simulation-\(UUID().uuidString)"
    let database = try await SQLiteDatabase.opened(template)
    for number in 1...SimulationFixture.accounts {
      let registration = try Registration(
        email: "\(number)@example.org", password: "a password", firstName: "Ada \(number)", lastName: "")
      _ = try await database.addAccount(registration, passwordHash: "", unixMs: 1)
    }
    posts = try await SimulationFixture.publish(in: database)
    // Move the write-ahead log into the database file, because the copy may start while the connection still closes.
    try await database.pool.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
    try database.pool.close()
  }

  private static func publish(in database: SQLiteDatabase) async throws -> [PostID: Ledger.Entry] {
    var posts: [PostID: Ledger.Entry] = [:]
    for number in 1...postsBefore {
      let account = AccountID(rawValue: Int64(1 + number % accounts))
      let place = "\(PlaceBehaviour.found.rawValue) before \(number)"
      let submission = try Submission(place: place, link: "example.org", latitude: nil, longitude: nil)
      let id = try await database.accepted(submission, by: account, unixMs: 1).id
      guard let point = Coordinate(latitudeE7: 1, longitudeE7: 1) else { continue }
      let published = Verdict.Published(
        coordinate: point, label: "Here: \(place)", countryCode: "", agreement: .notGiven)
      _ = try await database.settled([(id, .verdict(.published(published)))], unixMs: 1)
      posts[id] = Ledger.Entry(account: account, place: place, fate: .published(seq: UInt64(number)))
    }
    return posts
  }

  deinit { try? FileManager.default.removeItem(atPath: template) }
}

extension SeededRandom {
  /// Returns a random number between two bounds, both included.
  mutating func between(_ low: Int64, _ high: Int64) -> Int64 { Int64.random(in: low...max(low, high), using: &self) }
}
