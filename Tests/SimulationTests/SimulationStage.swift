import Foundation
import Fuzzing
import GRDB

@testable import OnTheMap
@testable import Store

/// A database to begin with, made once for many runs.
final class SimulationStage: Sendable {
  static let accounts = 3
  let template: String

  init() async throws {
    template = SimulatedStore.place + "/onthemap-simulation-\(UUID().uuidString)"
    let database = try await IngestDatabase.opened(template)
    for number in 1...SimulationStage.accounts {
      let registration = try Registration(
        email: "\(number)@example.org", password: "password", firstName: "Ada \(number)", lastName: "")
      _ = try await database.addAccount(registration, passwordHash: "", unixMs: 1)
    }
    // In one file: whoever closes it may still be at it when a copy is made.
    try await database.pool.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
    try database.pool.close()
  }

  deinit { try? FileManager.default.removeItem(atPath: template) }
}

extension SeededRandom {
  /// Both ends included.
  mutating func between(_ low: Int64, _ high: Int64) -> Int64 { Int64.random(in: low...max(low, high), using: &self) }
}
