import Domain
import PostgresServer
import Store
import StoreTesting
import Testing

@testable import PostgresStore

@Suite("Rights of the role")
struct RightsTests {
  /// A database, and a role that is neither a superuser nor the owner of anything.
  private final class Place: Sendable {
    let database: TestDatabase
    let role: String
    let address: PostgresAddress

    init() throws {
      database = try TestDatabase()
      role = "rights_\(database.name)"
      address = try PostgresAddress(
        "postgresql://\(role)@127.0.0.1:\(database.server.port)/\(database.name)", passwordFile: nil)
      try database.sql("CREATE ROLE \(role) LOGIN; REVOKE CREATE ON SCHEMA public FROM PUBLIC")
    }

    deinit { _ = try? database.sql("DROP OWNED BY \(role); DROP ROLE \(role)") }

    func open() throws -> PostgresDatabase { try PostgresDatabase(address, logger: database.logger) }
  }

  @Test("A role without all rights on the tables is refused with the GRANT, before a term begins")
  func denied() async throws {
    let place = try Place()
    try place.database.open().close()
    try place.database.sql(
      """
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO \(place.role);
      REVOKE UPDATE ON post FROM \(place.role);
      REVOKE INSERT, DELETE ON outcome FROM \(place.role);
      """)
    let text = """
      127.0.0.1:\(place.database.server.port) cannot be used: the role \(place.role) lacks UPDATE on post; \
      INSERT, DELETE on outcome. As the tables' owner, run: GRANT SELECT, INSERT, UPDATE, DELETE ON "post", "outcome" \
      TO "\(place.role)"
      """
    let start = #expect(throws: StoreError.self) { _ = try place.open() }
    #expect(start?.description == text)
    let preparation = #expect(throws: StoreError.self) { try Schema.prepare(place.address) }
    #expect(preparation?.description == text)
    let standby = await #expect(throws: StoreError.self) {
      _ = try await PostgresDatabase.lead(place.address, logger: place.database.logger)
    }
    #expect(standby?.description == text)
    #expect(try place.database.sql("SELECT term, is_held FROM leader_beat") == "1|f")
    let grant = try #require(text.split(separator: "run: ").last)
    try place.database.sql("\(grant)")
    let store = try place.open()
    defer { store.close() }
    #expect(try await store.accepted(by: store.addAccount()).job != nil)
  }

  @Test("A role that may not create the tables is refused with a remedy")
  func creation() throws {
    let place = try Place()
    let preparation = #expect(throws: StoreError.self) { try Schema.prepare(place.address) }
    let start = #expect(throws: StoreError.self) { _ = try place.open() }
    for error in [preparation, start] {
      guard case .unusable(_, let reason)? = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
      #expect(reason.contains("permission denied for schema public"))
      #expect(
        reason.hasSuffix("(SQLSTATE 42501). Make the role the owner of the database, or run onthemap doctor --store"))
    }
  }
}
