import Domain
import InMemoryLogging
import Logging
import Store
import StoreTesting
import Testing

@testable import PostgresStore

@Suite("Prepared statements after a change of their tables")
struct StalePlanTests {
  @Test("Writes and reads whose prepared statements no longer fit the tables are repeated on a new connection")
  func changed() async throws {
    let log = InMemoryLogHandler()
    let database = try TestDatabase(logger: Logger(label: "test") { _ in log })
    let store = try database.open()
    defer { store.close() }
    let account = try await store.addAccount()
    let published = try await store.published(1, by: account)
    #expect(try await store.posts(published).count == 1)
    // A domain is another type, with the same values.
    try database.sql("CREATE DOMAIN number AS bigint; ALTER TABLE post ALTER COLUMN id TYPE number")
    #expect(try await store.posts(published).count == 1)
    #expect(try await store.accepted(by: account).id > published[0])
    // The new connection prepares the statements again.
    _ = try await store.published(1, by: account)
    let queued = try await store.accepted(by: account).id
    try database.sql("ALTER TABLE outcome ALTER COLUMN id TYPE number")
    #expect(try await store.settled([(queued, .verdict(.at(2)))]).map(\.id) == [queued])
    _ = try await store.addAccount("grace")
    try database.sql("ALTER TABLE account ALTER COLUMN id TYPE number")
    await #expect(throws: EmailTaken.self) { try await store.addAccount("grace") }
    #expect(try database.sql("SELECT count(*) FROM post") == "4" && store.stopReason == nil)
    #expect(log.entries.count { "\($0.message)" == "database reconnected" } == 3)
  }

  @Test("A statement that the server does not support fails, and is not repeated")
  func unsupported() async throws {
    let database = try TestDatabase()
    let store = try database.open()
    defer { store.close() }
    let defect = Statement("defect", "SELECT count(*) FROM post FOR UPDATE")
    for _ in 0..<2 {
      await #expect(throws: StoreError.self) {
        try await store.write { connection, _ in _ = try connection.query(defect) }
      }
    }
    #expect(try await store.accepted(by: store.addAccount()).job != nil)
  }
}
