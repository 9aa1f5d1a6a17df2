import Domain
import PostgresServer
import Store
import StoreTesting
import Testing

@testable import PostgresStore

@Suite("Databases of newer programs")
struct SchemaTests {
  /// Records a migration that this program does not know, as a newer program would.
  private func addMigration(_ number: Int, readableBy: Int, to database: TestDatabase) throws {
    try database.sql("INSERT INTO migration (number, readable_by) VALUES (\(number), \(readableBy))")
  }

  @Test("A database of the next version is usable, by the leader of the migration and by a later start")
  func readable() async throws {
    let database = try TestDatabase()
    let leader = try database.open()
    let account = try await leader.addAccount()
    let first = try await leader.published(1, by: account)[0]
    try database.sql("ALTER TABLE post ADD COLUMN later bigint")
    try addMigration(Schema.version + 1, readableBy: Schema.version, to: database)
    let second = try await leader.accepted(by: account).id
    leader.close()
    let next = try database.open()
    defer { next.close() }
    #expect(try next.feed().entries.map(\.id) == [first])
    #expect(try next.unsettledJobs().map(\.job.id) == [JobID(second)])
    #expect(try await next.accepted(by: account).id > second)
    #expect(
      try database.sql("SELECT count(*), max(number) FROM migration")
        == "\(Schema.version + 1)|\(Schema.version + 1)",
      "A start adds no migration.")
  }

  @Test("Accounts of the version before confirmations count as confirmed, also those that its leader adds later")
  func confirmations() async throws {
    let database = try TestDatabase()
    let before = try database.open()
    let ada = try await before.addAccount()
    #expect(try await before.account(ada)?.isEmailConfirmed == false)
    before.close()
    try database.sql("DROP TABLE mail_token")
    try database.sql("ALTER TABLE account DROP COLUMN email_confirmed")
    try database.sql("DELETE FROM migration WHERE number > 1")
    let after = try database.open()
    defer { after.close() }
    #expect(try await after.account(ada)?.isEmailConfirmed == true)
    try database.sql(
      """
      INSERT INTO account (id, email, password, first_name, last_name, created_ms)
      VALUES (9, 'bob@example.org', '', 'Bob', '', 1)
      """)
    #expect(try await after.account(AccountID(rawValue: 9))?.isEmailConfirmed == true)
  }

  @Test("A database that only newer versions can use is refused, and stays unchanged")
  func unreadable() throws {
    let database = try TestDatabase()
    try database.open().close()
    try addMigration(Schema.version + 1, readableBy: Schema.version, to: database)
    try addMigration(Schema.version + 2, readableBy: Schema.version + 1, to: database)
    let state = "SELECT leader.*, leader_beat.*, (SELECT count(*) FROM migration) FROM leader, leader_beat"
    let before = try database.sql(state)
    let text = """
      127.0.0.1:\(database.server.port) cannot be used: its database was upgraded by a newer version of onthemap. Run \
      that version, or restore a backup
      """
    let start = #expect(throws: StoreError.self) { _ = try database.open() }
    #expect(start?.description == text)
    let preparation = #expect(throws: StoreError.self) { try Schema.prepare(database.address) }
    #expect(preparation?.description == text)
    #expect(try database.sql(state) == before)
  }
}
