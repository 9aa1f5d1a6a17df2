import ArgumentParser
import Domain
import Foundation
import Testing

@testable import Commands
@testable import PostgresStore

@Suite("Doctor: PostgreSQL")
struct StoreCheckTests {
  /// A server without any danger.
  private static let healthy = PostgresInspection(
    server: ServerState(
      host: "db1.example.org:5432", isLocal: false, isEncrypted: true, tlsMode: "verify-full", isPooled: false,
      keepsSettings: true, version: "15.20", encoding: "UTF8", role: "onthemap", database: "map"),
    rights: RightsState(
      schema: "public", canCreate: true, tables: [table("migration"), table("leader"), table("post")], version: 3,
      readableBy: 2, knownVersion: 3),
    settings: ServerSettings(
      fsync: true, fullPageWrites: true, checksums: true, synchronousCommit: "on", restartAfterCrash: false,
      isReadOnly: false, idleSessionMs: 0, transactionMs: 0, statementTimeout: nil),
    replication: ReplicationState(
      standbyNames: "ANY 1 (b, c)", receivers: [receiver("b", "quorum"), receiver("c", "quorum")]),
    activity: ActivityState(
      seesAll: true, oldestSnapshot: nil, idleTransactions: [], slots: [], preparedTransactions: [],
      serverSessions: .init(limit: 97, used: 30), roleSessions: .init(limit: nil, used: 10),
      databaseSessions: .init(limit: nil, used: 10), ownSessions: 10),
    clock: ClockOffset(offsetMs: -3, errorMs: 1), leader: LeaderState(term: 7, isHeld: true, isAlive: true))

  private static func table(_ name: String) -> RightsState.Table {
    RightsState.Table(name: name, isThere: true, missing: [], isOwned: true)
  }

  private static func receiver(
    _ name: String, _ syncState: String?, state: String? = "streaming"
  ) -> ReplicationState.Receiver {
    ReplicationState.Receiver(name: name, state: state, syncState: syncState)
  }

  private static func session(seconds: Int64?, transactions: Int64 = 0) -> ActivityState.Session {
    ActivityState.Session(
      process: 4_711, application: "pg_dump", user: "ana", seconds: seconds, transactions: transactions)
  }

  /// Returns the result of one check for a server that differs from the healthy one.
  private func check(_ id: String, _ change: (inout PostgresInspection) -> Void) throws -> Check {
    var found = Self.healthy
    change(&found)
    let checks = StoreChecks.checks(found)
    #expect(Set(checks.map(\.id)).count == checks.count)
    // The other checks do not change, except those that read the same values.
    return try #require(checks.first { $0.id == id })
  }

  @Test("A server without dangers passes every check, and the article names each check")
  func healthy() throws {
    let checks = StoreChecks.checks(Self.healthy)
    #expect(checks.allSatisfy { $0.verdict == .ok }, "\(checks.filter { $0.verdict != .ok })")
    let article = try String(
      contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../deploy/Doctor.md"), encoding: .utf8)
    for check in checks { #expect(article.contains("`\(check.id)`"), "\(check.id)") }
    for unit in checks.compactMap(\.measure?.unit) { #expect(article.contains("`\(unit)`"), "\(unit)") }
    let server = try check("store") { _ in }
    #expect(server.finding.contains("db1.example.org:5432 is the primary: PostgreSQL 15.20"))
  }

  @Test(
    "A database that cannot be inspected is one failure with its reason",
    arguments: [
      (.unreachable("connection refused. "), "postgresql://db/map is not reached: connection refused"),
      (.unusable("db:5432 cannot be used: too old"), "db:5432 cannot be used: too old"),
      (.failed("none (SQLSTATE 42883)"), "postgresql://db/map refuses a read of its state: none (SQLSTATE 42883)"),
    ] as [(InspectionError, String)])
  func failed(error: InspectionError, text: String) {
    let check = StoreChecks.failed(error, "postgresql://db/map")
    #expect(check.id == "store" && check.verdict == .failure && check.finding == text && check.remedy != nil)
  }

  @Test(
    "The remedy of a failed connection fits its reason",
    arguments: [
      ("db: fe_sendauth: no password supplied", "Pass --store-password-file"),
      (#"FATAL: password authentication failed for user "map""#, "Pass --store-password-file"),
      ("refused (SQLSTATE 28000)", "Pass --store-password-file"),
      (#"FATAL: role "map" does not exist"#, "Create the role"),
      (#"FATAL: database "map" does not exist"#, "Create the database"),
      (#"FATAL: no pg_hba.conf entry for host "10.0.0.1", no encryption"#, "Permit this host in pg_hba.conf"),
      ("server does not support SSL, but SSL was required", "Set ssl=on at the server"),
      ("db:28000: Connection refused", "Start the server"),
    ])
  func remedies(reason: String, remedy: String) {
    let check = StoreChecks.failed(.unreachable(reason), "postgresql://db/map")
    #expect(check.remedy?.hasPrefix(remedy) == true, "\(check)")
  }

  @Test("A server that does not listen is a failure, and SQLite has no checks of a server")
  func unreachable() async throws {
    let address = try PostgresAddress("postgresql://onthemap@127.0.0.1:1/map", passwordFile: nil)
    let checks = await StoreChecks.run(.postgres(address))
    #expect(checks.map(\.id) == ["store"] && checks.first?.verdict == .failure)
    #expect(checks.first?.finding.contains("refused") == true, "\(checks)")
    #expect(await StoreChecks.run(.sqlite(folder: "./data")).isEmpty)
    #expect(await StoreChecks.run(nil).isEmpty)
  }

  @Test(
    "A connection over the network needs TLS with a check of the certificate",
    arguments: [
      (true, false, "verify-full", .ok), (true, false, "verify-ca", .ok), (true, false, "require", .warning),
      (true, true, "prefer", .ok), (false, true, "prefer", .ok), (false, false, "disable", .warning),
    ] as [(Bool, Bool, String, Check.Verdict)])
  func encryption(isEncrypted: Bool, isLocal: Bool, mode: String, verdict: Check.Verdict) throws {
    let check = try check("store-encryption") {
      ($0.server.isEncrypted, $0.server.isLocal, $0.server.tlsMode) = (isEncrypted, isLocal, mode)
    }
    #expect(check.verdict == verdict)
  }

  @Test("A pooler is a warning, and one that drops the settings of sessions is a failure")
  func pooler() throws {
    #expect(try check("store-pooler") { $0.server.isPooled = true }.verdict == .warning)
    #expect(try check("store-pooler") { $0.server.keepsSettings = false }.verdict == .failure)
  }

  @Test("The role needs CREATE for missing tables, and all rights on present ones")
  func rights() throws {
    func check(_ change: (inout RightsState) -> Void) throws -> Check {
      try self.check("store-rights") { change(&$0.rights) }
    }
    let none = try check { $0.schema = nil }
    #expect(none.verdict == .failure && none.remedy?.hasSuffix("TO \"onthemap\"") == true)
    func remove(_ rights: inout RightsState) { for index in 0..<3 { rights.tables[index].isThere = false } }
    let new = try check { remove(&$0) }
    #expect(new.verdict == .ok && new.finding == "onthemap may create the tables in public")
    let forbidden = try check {
      remove(&$0)
      $0.canCreate = false
    }
    #expect(forbidden.verdict == .failure && forbidden.remedy?.contains("CREATE ON SCHEMA \"public\"") == true)
    // The present tables suffice without the right to create others.
    #expect(try check { $0.canCreate = false }.verdict == .ok)
    let denied = try check {
      $0.tables[1].missing = ["UPDATE", "DELETE"]
      $0.tables[2].missing = ["SELECT"]
    }
    #expect(denied.verdict == .failure)
    #expect(denied.finding == "onthemap lacks UPDATE, DELETE on leader, and lacks rights on 1 other table")
    #expect(denied.remedy?.contains("ON \"leader\", \"post\" TO \"onthemap\"") == true)
  }

  @Test("A migration needs CREATE and the ownership of the tables")
  func migration() throws {
    func verdict(_ change: (inout RightsState) -> Void) throws -> Check.Verdict {
      try check("store-rights") {
        $0.rights.version = 2
        change(&$0.rights)
      }.verdict
    }
    #expect(try verdict { _ in } == .ok)
    #expect(try verdict { $0.canCreate = false } == .failure)
    #expect(try verdict { $0.tables[2].isOwned = false } == .failure)
    #expect(try check("store-rights") { $0.rights.tables[2].isOwned = false }.verdict == .ok)
  }

  @Test(
    "Tables that a newer version has upgraded are usable as far as that version permits it",
    arguments: [
      (3, 2, .ok, "migration 3, the latest one"), (2, 1, .ok, "migrates them to 3"), (0, 0, .ok, "migrates them to 3"),
      (4, 3, .ok, "a newer version upgraded"), (5, 4, .failure, "migration 5, and this program knows 3"),
      (nil, nil, .notChecked, "may not read"),
    ] as [(Int64?, Int64?, Check.Verdict, String)])
  func schema(version: Int64?, readableBy: Int64?, verdict: Check.Verdict, text: String) throws {
    let check = try check("store-schema") { ($0.rights.version, $0.rights.readableBy) = (version, readableBy) }
    #expect(check.verdict == verdict && check.finding.contains(text), "\(check)")
  }

  @Test("A table that the latest migration should have made is missing")
  func tables() throws {
    let missing = try check("store-schema") { $0.rights.tables[2].isThere = false }
    #expect(missing.verdict == .failure && missing.finding == "the table post is missing")
    let new = try check("store-schema") {
      for index in 0..<3 { $0.rights.tables[index].isThere = false }
      ($0.rights.version, $0.rights.readableBy) = (nil, nil)
    }
    #expect(new.verdict == .ok && new.finding.hasPrefix("there are no tables yet"))
  }

  @Test(
    "The settings name the number of standbys that a commit waits for",
    arguments: [
      ("", 0), ("  ", 0), ("*", 1), ("b", 1), ("b, c", 1), ("2 (b, c, d)", 2), ("FIRST 2 (b, c)", 2),
      ("ANY 1 (b, c)", 1), ("any 3(b, c, d)", 3), ("first  10 ( * )", 10), ("\"ANY 2\", c", 1), ("2, 3", 1),
    ])
  func standbyNames(text: String, required: Int) {
    #expect(ReplicationState(standbyNames: text, receivers: []).requiredStandbys == required)
  }

  @Test(
    "Commits need the required standbys, and one more for the loss of one",
    arguments: [
      ("", [receiver("b", "async")], .warning, "loses acknowledged posts"),
      ("ANY 1 (b, c)", [], .failure, "0 of 1 required"),
      ("ANY 1 (b, c)", [receiver("d", "async")], .failure, "0 of 1 required"),
      ("ANY 1 (b, c)", [receiver("b", "quorum", state: "catchup")], .failure, "0 of 1 required"),
      ("ANY 1 (b, c)", [receiver("b", "quorum")], .warning, "only b follows"),
      ("ANY 1 (b, c)", [receiver("b", "quorum"), receiver("c", "quorum")], .ok, "b, c follow"),
      ("FIRST 1 (b, c)", [receiver("b", "sync"), receiver("c", "potential")], .ok, "b follows"),
      ("FIRST 2 (b, c)", [receiver("b", "sync"), receiver("c", "sync")], .warning, "only b, c follow"),
      ("ANY 2 (b, c)", [receiver("b", "quorum")], .failure, "1 of 2 required"),
      // A role without pg_monitor sees only the number of receivers.
      ("ANY 1 (b, c)", [receiver("", nil, state: nil)], .notChecked, "GRANT pg_monitor TO \"onthemap\""),
      ("ANY 2 (b, c)", [receiver("", nil, state: nil)], .failure, "0 of 2 required"),
    ] as [(String, [ReplicationState.Receiver], Check.Verdict, String)])
  func standbys(names: String, receivers: [ReplicationState.Receiver], verdict: Check.Verdict, text: String) throws {
    let check = try check("store-standbys") {
      $0.replication = ReplicationState(standbyNames: names, receivers: receivers)
    }
    #expect(check.verdict == verdict && check.finding.contains(text), "\(check)")
  }

  @Test("A restart after a crash is a danger only with synchronous standbys")
  func crashRestart() throws {
    #expect(try check("store-crash-restart") { $0.settings.restartAfterCrash = true }.verdict == .warning)
    let alone = try check("store-crash-restart") {
      $0.settings.restartAfterCrash = true
      $0.replication.standbyNames = ""
    }
    #expect(alone.verdict == .ok)
  }

  @Test("A server that does not protect its files is a danger, and a weaker default of commits is not")
  func durability() throws {
    #expect(try check("store-durability") { $0.settings.fsync = false }.verdict == .failure)
    #expect(try check("store-durability") { $0.settings.fullPageWrites = false }.verdict == .failure)
    #expect(try check("store-checksums") { $0.settings.checksums = false }.verdict == .warning)
    let weak = try check("store-durability") { $0.settings.synchronousCommit = "local" }
    #expect(weak.verdict == .ok && weak.finding.hasSuffix("the default is local"))
  }

  @Test("Timeouts that would end ingest's sessions are failures, and one that ingest sets itself is not")
  func timeouts() throws {
    let transaction = try check("store-timeouts") { $0.settings.transactionMs = 30_000 }
    #expect(transaction.verdict == .failure && transaction.measure == .init(30_000, "ms"))
    #expect(
      transaction.remedy == "Run: ALTER ROLE \"onthemap\" IN DATABASE \"map\" SET transaction_timeout = 0")
    #expect(try check("store-timeouts") { $0.settings.idleSessionMs = 1 }.verdict == .failure)
    let statement = try check("store-timeouts") { $0.settings.statementTimeout = "30s" }
    #expect(statement.verdict == .ok && statement.finding.contains("statement_timeout of 30s has no effect"))
    #expect(try check("store-read-only") { $0.settings.isReadOnly = true }.verdict == .failure)
  }

  @Test(
    "An old snapshot is a warning by its age in seconds or in transactions",
    arguments: [
      (600, 5, .ok), (601, 5, .warning), (nil, 1_000_000, .ok), (nil, 1_000_001, .warning),
    ] as [(Int64?, Int64, Check.Verdict)])
  func snapshot(seconds: Int64?, transactions: Int64, verdict: Check.Verdict) throws {
    let check = try check("store-snapshot") {
      $0.activity.oldestSnapshot = Self.session(seconds: seconds, transactions: transactions)
    }
    #expect(check.verdict == verdict && check.measure == .init(transactions, "transactions"))
    if verdict == .warning {
      #expect(check.finding.contains("process 4711 (pg_dump, role ana)"))
      #expect(check.remedy?.hasSuffix("SELECT pg_terminate_backend(4711)") == true)
    }
  }

  @Test("Transactions that stay open are warnings with the command that ends them")
  func openTransactions() throws {
    let idle = try check("store-idle-transactions") {
      $0.activity.idleTransactions = [Self.session(seconds: 300), Self.session(seconds: 61), Self.session(seconds: 60)]
    }
    #expect(idle.verdict == .warning && idle.measure == .init(300, "s"))
    #expect(idle.finding.contains("for 300 s (and 1 more)") && idle.remedy?.contains("(4711)") == true)
    let short = try check("store-idle-transactions") { $0.activity.idleTransactions = [Self.session(seconds: 60)] }
    #expect(short.verdict == .ok)
    #expect(try check("store-idle-transactions") { $0.activity.seesAll = false }.verdict == .notChecked)
    func prepared(_ seconds: Int64) throws -> Check {
      try check("store-prepared-transactions") {
        $0.activity.preparedTransactions = [
          .init(identifier: "o'clock", user: "ana", seconds: seconds, transactions: 9)
        ]
      }
    }
    #expect(try prepared(60).verdict == .ok)
    #expect(try prepared(61).verdict == .warning)
    #expect(try prepared(61).remedy?.hasSuffix("ROLLBACK PREPARED 'o''clock'") == true)
  }

  @Test("An inactive slot is a warning with the size of its log")
  func slots() throws {
    let check = try check("store-slots") {
      $0.activity.slots = [
        .init(name: "b", retainedBytes: 2_400_000_000, transactions: 5),
        .init(name: "c", retainedBytes: 1, transactions: 0),
      ]
    }
    #expect(check.verdict == .warning && check.measure == .init(2_400_000_000, "bytes"))
    #expect(check.finding.contains("slot b keeps 2400 MB of the log, and row versions of 5 transactions (and 1 more)"))
    #expect(check.remedy?.hasSuffix("SELECT pg_drop_replication_slot('b')") == true)
  }

  @Test(
    "The fewest free sessions of server, role and database must suffice for an ingest and its standby",
    arguments: [
      // Each ingest has 10 sessions, and the role already has `own`.
      (97, 77, nil, 0, .ok, 20), (97, 78, nil, 0, .warning, 19), (97, 87, nil, 10, .ok, 10),
      (97, 88, nil, 10, .warning, 9), (97, 0, 15, 0, .warning, 15), (97, 120, nil, 20, .ok, 0),
    ] as [(Int64, Int64, Int64?, Int64, Check.Verdict, Int64)])
  func sessions(
    limit: Int64, used: Int64, roleLimit: Int64?, own: Int64, verdict: Check.Verdict, free: Int64
  ) throws {
    #expect(Limits.postgresIngests * Limits.postgresIngestSessions == 20)
    let check = try check("store-sessions") {
      $0.activity.serverSessions = .init(limit: limit, used: used)
      $0.activity.roleSessions = .init(limit: roleLimit, used: own)
      $0.activity.ownSessions = own
    }
    #expect(check.verdict == verdict && check.measure == .init(free, "sessions"), "\(check)")
    #expect(check.finding.hasPrefix(roleLimit == nil ? "the server permits" : "the role permits"))
  }

  @Test(
    "Only the certain part of a clock's offset counts",
    arguments: [
      (1_001, 1, .ok), (1_002, 1, .warning), (-1_002, 1, .warning), (-5_000, 4_000, .ok), (-5_001, 4_000, .warning),
    ] as [(Int64, Int64, Check.Verdict)])
  func clock(offsetMs: Int64, errorMs: Int64, verdict: Check.Verdict) throws {
    let check = try check("store-clock") { $0.clock = ClockOffset(offsetMs: offsetMs, errorMs: errorMs) }
    #expect(check.verdict == verdict && check.measure == .init(offsetMs, "ms"))
    #expect(check.finding.contains(offsetMs < 0 ? "behind" : "ahead of"))
  }

  @Test(
    "A leader that is silent without a graceful shutdown is a warning",
    arguments: [
      (true, true, .ok, "ingest leads with generation 7"),
      (false, false, .ok, "no ingest runs; generation 7 was shut down"),
      (true, false, .warning, "no ingest runs: the leader of generation 7 is silent"),
    ] as [(Bool, Bool, Check.Verdict, String)])
  func leader(isHeld: Bool, isAlive: Bool, verdict: Check.Verdict, text: String) throws {
    let check = try check("store-leader") { $0.leader = LeaderState(term: 7, isHeld: isHeld, isAlive: isAlive) }
    #expect(check.verdict == verdict && check.finding.hasPrefix(text))
    #expect(try self.check("store-leader") { $0.leader = nil }.verdict == .notChecked)
  }

  @Test("Names in commands for SQL are quoted")
  func quoting() {
    #expect(SQLText.identifier("a\"b") == "\"a\"\"b\"")
    #expect(SQLText.literal("it's") == "'it''s'")
  }
}

@Suite("The command doctor without a service")
struct DoctorStoreCommandTests {
  @Test("The command doctor with a store and without a service checks the store")
  func parse() throws {
    let url = "postgresql://onthemap@127.0.0.1/map"
    for words in [["doctor", "--store", url, "--json"], ["doctor", "store", "--json", "--store", url]] {
      let command = try #require(try OnTheMapCommand.parseAsRoot(words) as? DoctorStoreCommand)
      #expect(command.store.store == url && command.json)
    }
    let ingest = try OnTheMapCommand.parseAsRoot(["doctor", "ingest", "--store", url])
    #expect((ingest as? DoctorServiceCommand<IngestCommand>)?.service.options.store.store == url)
  }

  @Test("The bare command prints help, and SQLite has no checks without a service")
  func sqlite() async throws {
    let empty = FileManager.default.temporaryDirectory.appending(path: "onthemap-\(UUID().uuidString)")
    try Data().write(to: empty)
    defer { try? FileManager.default.removeItem(at: empty) }
    let bare = try DoctorStoreCommand.parse([])
    await #expect(throws: CleanExit.self) { try await bare.run() }
    let chosen = try DoctorStoreCommand.parse(["--config", empty.path])
    await #expect(throws: ExitCode(EX_CONFIG)) { try await chosen.run() }
  }
}
