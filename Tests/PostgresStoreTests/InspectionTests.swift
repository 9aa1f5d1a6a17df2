import Domain
import Foundation
import Logging
import PostgresServer
import Testing

@testable import PostgresStore

@Suite("Inspection")
struct InspectionTests {
  /// A database of the shared server, or of another one. It is removed with this object.
  private final class Place: Sendable {
    let server: PostgresServer
    let name: String

    init(_ server: PostgresServer? = nil, options: [String: String] = [:]) throws {
      self.server = try server ?? PostgresServer.shared()
      name = try self.server.createDatabase(options: options)
    }

    deinit { server.dropDatabase(name) }

    func address(user: String = "onthemap", parameters: String = "") throws -> PostgresAddress {
      try PostgresAddress("postgresql://\(user)@127.0.0.1:\(server.port)/\(name)\(parameters)", passwordFile: nil)
    }

    func inspect(user: String = "onthemap") throws -> PostgresInspection {
      try PostgresInspection.read(address(user: user))
    }

    func open() throws -> PostgresDatabase {
      try PostgresDatabase(address(), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    func sql(_ text: String) throws -> String { try server.sql(text, in: name) }
  }

  @Test("A new database has its server, its role's rights and no tables")
  func new() throws {
    let place = try Place()
    let found = try place.inspect()
    #expect(found.server.host == "127.0.0.1:\(place.server.port)" && found.server.isLocal)
    #expect(!found.server.isEncrypted && found.server.tlsMode == "prefer")
    #expect(!found.server.isPooled && found.server.keepsSettings)
    #expect(found.server.version == (try place.sql("SHOW server_version")))
    #expect(found.server.encoding == "UTF8" && found.server.role == "onthemap" && found.server.database == place.name)
    #expect(found.rights.schema == "public" && found.rights.canCreate)
    #expect(found.rights.version == nil && found.rights.readableBy == nil)
    #expect(found.rights.tables.first?.name == "migration")
    #expect(found.rights.tables.allSatisfy { !$0.isThere && !$0.isOwned && $0.missing.isEmpty })
    #expect(found.leader == nil)
    // Both clocks are the same.
    #expect(found.clock.offsetMs.magnitude <= found.clock.errorMs, "\(found.clock)")
  }

  @Test("Settings, missing standbys, slots and prepared transactions of a server are found, and nothing changes")
  func server() throws {
    let server = try PostgresServer(settings: [
      "autovacuum": "off", "full_page_writes": "off", "idle_session_timeout": "1h", "max_connections": "20",
      "max_prepared_transactions": "5", "restart_after_crash": "on", "superuser_reserved_connections": "2",
      "synchronous_commit": "local", "synchronous_standby_names": "ANY 1 (b, c)",
    ])
    let place = try Place(server)
    _ = try place.sql(
      """
      CREATE TABLE note (id bigint);
      SELECT pg_create_physical_replication_slot('b', true);
      BEGIN; INSERT INTO note VALUES (1); PREPARE TRANSACTION 'pending';
      """)
    let before = try place.sql("SELECT txid_current()")
    let found = try place.inspect()
    // Only the second call of txid_current begins a transaction that can write.
    #expect(try place.sql("SELECT txid_current()") == "\(try #require(Int64(before)) + 1)")
    #expect(!found.settings.fsync && !found.settings.fullPageWrites && !found.settings.checksums)
    #expect(found.settings.restartAfterCrash && !found.settings.isReadOnly)
    #expect(found.settings.synchronousCommit == "local" && found.settings.idleSessionMs == 3_600_000)
    #expect(found.settings.transactionMs == 0 && found.settings.statementTimeout == nil)
    #expect(found.replication == ReplicationState(standbyNames: "ANY 1 (b, c)", receivers: []))
    #expect(found.replication.requiredStandbys == 1)
    let slot = try #require(found.activity.slots.first)
    #expect(found.activity.slots.count == 1 && slot.name == "b" && slot.retainedBytes > 0)
    let prepared = try #require(found.activity.preparedTransactions.first)
    #expect(found.activity.preparedTransactions.count == 1 && prepared.transactions > 0)
    #expect(prepared.identifier == "pending" && prepared.user == "onthemap" && prepared.seconds >= 0)
    // The sessions of psql may still be ending.
    #expect(found.activity.serverSessions.limit == 18 && (0...3).contains(found.activity.serverSessions.used))
    #expect(found.activity.seesAll)
    #expect(found.activity.roleSessions.limit == nil && found.activity.databaseSessions.limit == nil)
    #expect(found.activity.oldestSnapshot == nil && found.activity.idleTransactions.isEmpty)
    _ = try place.sql("ROLLBACK PREPARED 'pending'")
  }

  @Test("An idle transaction is found with its process, its program and its snapshot")
  func idleTransaction() throws {
    let place = try Place()
    let address = try place.address(parameters: "?application_name=report")
    let idle = try PostgresConnector(address: address, role: .start).connect()
    // Without a COMMIT, the transaction stays open after the Sync message.
    let process = try idle.transaction(within: .seconds(60)) { connection in
      _ = try connection.query(Statement(once: "BEGIN ISOLATION LEVEL REPEATABLE READ"))
      return try connection.query(Statement(once: "SELECT pg_backend_pid()")).first?.int(0)
    }
    let found = try place.inspect().activity
    let session = try #require(found.idleTransactions.first)
    #expect(found.idleTransactions.count == 1 && session.process == process)
    #expect(session.application == "report" && session.user == "onthemap")
    #expect(session.seconds.map { (0...60).contains($0) } == true)
    #expect(found.oldestSnapshot?.process == process && found.oldestSnapshot?.application == "report")
    #expect(found.ownSessions == 1 && found.databaseSessions.used == 1)
    withExtendedLifetime(idle) {}
  }

  @Test("A role sees its own limits and timeouts, the rights that it lacks, and little of other roles' sessions")
  func role() throws {
    let place = try Place()
    try place.open().close()
    let role = "inspected_\(place.name)"
    _ = try place.sql(
      """
      CREATE ROLE \(role) LOGIN CONNECTION LIMIT 7;
      ALTER DATABASE \(place.name) SET statement_timeout = '10s';
      ALTER ROLE \(role) SET statement_timeout = '30s';
      ALTER ROLE \(role) SET idle_session_timeout = '5min';
      ALTER ROLE \(role) SET default_transaction_read_only = on;
      REVOKE CREATE ON SCHEMA public FROM PUBLIC;
      GRANT SELECT, INSERT ON post TO \(role);
      """)
    defer { _ = try? place.sql("DROP OWNED BY \(role); DROP ROLE \(role)") }
    // Another role's session, whose state the role may not see.
    let other = try PostgresConnector(address: place.address(), role: .start).connect()
    let found = try place.inspect(user: role)
    #expect(found.server.role == role && found.settings.statementTimeout == "30s")
    #expect(found.settings.idleSessionMs == 300_000 && found.settings.isReadOnly)
    #expect(found.rights.schema == "public" && !found.rights.canCreate && found.rights.version == nil)
    let tables = Dictionary(uniqueKeysWithValues: found.rights.tables.map { ($0.name, $0) })
    #expect(tables.values.allSatisfy { $0.isThere && !$0.isOwned })
    #expect(tables["post"]?.missing == ["UPDATE", "DELETE"])
    #expect(tables["migration"]?.missing == ["SELECT", "INSERT", "UPDATE", "DELETE"])
    #expect(found.leader == nil && !found.activity.seesAll)
    #expect(found.activity.roleSessions == .init(limit: 7, used: 0))
    #expect(found.activity.databaseSessions.used >= 1 && found.activity.ownSessions == 0)
    // The session of the superuser has the database's default.
    #expect(try place.inspect().settings.statementTimeout == "10s")
    withExtendedLifetime(other) {}
  }

  @Test("A leader is found by its beat, and after its shutdown")
  func leader() throws {
    let place = try Place()
    let database = try place.open()
    let led = try place.inspect()
    #expect(led.leader == LeaderState(term: 1, isHeld: true, isAlive: true))
    #expect(led.rights.version == Int64(Schema.version) && led.rights.knownVersion == Int64(Schema.version))
    #expect(led.rights.tables.count > 10)
    #expect(led.rights.tables.allSatisfy { $0.isThere && $0.isOwned && $0.missing.isEmpty })
    #expect(led.activity.ownSessions >= 2)
    database.close()
    #expect(try place.inspect().leader == LeaderState(term: 1, isHeld: false, isAlive: false))
  }

  @Test("A leader that ended without a shutdown is silent")
  func silentLeader() throws {
    let place = try Place()
    try place.open().close()
    _ = try place.sql("UPDATE leader_beat SET is_held = true")
    #expect(try place.inspect().leader == LeaderState(term: 1, isHeld: true, isAlive: false))
  }

  @Test("Tables of a newer version are found, and their leader is not read")
  func newerVersion() throws {
    let place = try Place()
    try place.open().close()
    _ = try place.sql("INSERT INTO migration (number, readable_by) VALUES (99, 98); DROP TABLE leader_beat")
    let found = try place.inspect()
    #expect(found.rights.version == 99 && found.rights.readableBy == 98 && found.leader == nil)
  }

  @Test("A database that is read-only by default can be inspected")
  func readOnly() throws {
    let place = try Place(options: ["default_transaction_read_only": "on"])
    #expect(try place.inspect().settings.isReadOnly)
  }

  @Test("A database with another encoding is unusable, and a missing one is not reached")
  func unusable() throws {
    let place = try Place()
    let name = "ascii_\(place.name)"
    _ = try place.server.sql("CREATE DATABASE \(name) TEMPLATE template0 ENCODING 'SQL_ASCII'")
    defer { place.server.dropDatabase(name) }
    func error(_ name: String) throws -> InspectionError? {
      let address = try PostgresAddress(place.server.url(name), passwordFile: nil)
      return #expect(throws: InspectionError.self) { try PostgresInspection.read(address) }
    }
    guard case .unusable(let encoding) = try error(name), case .unreachable(let missing) = try error("nowhere") else {
      Issue.record("\(String(describing: try error(name))), \(String(describing: try error("nowhere")))")
      return
    }
    #expect(encoding.contains("SQL_ASCII") && missing.contains("\"nowhere\" does not exist"))
  }
}
