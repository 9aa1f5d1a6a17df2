import Foundation
import GRDB
import Store
import StoreTesting
import Testing

@testable import Domain
@testable import SQLiteStore

@Suite("Database opening")
struct DatabaseTests {
  private let folder = Folder()

  private func expectUnusable(_ word: String, sourceLocation: SourceLocation = #_sourceLocation) {
    let error = #expect(throws: StoreError.self, sourceLocation: sourceLocation) { try folder.open() }
    guard case .unusable(let path, let reason)? = error else {
      Issue.record("\(String(describing: error)) is not about the file", sourceLocation: sourceLocation)
      return
    }
    #expect(path.hasPrefix(folder.path), sourceLocation: sourceLocation)
    #expect(reason.contains(word), sourceLocation: sourceLocation)
    #expect(error?.description.contains(path) == true, sourceLocation: sourceLocation)
  }

  @Test(
    "The writer's connection has the settings that durability needs",
    arguments: [
      ("synchronous", "2"), ("journal_mode", "wal"), ("foreign_keys", "1"), ("wal_autocheckpoint", "4000"),
      ("trusted_schema", "0"), ("secure_delete", "2"), ("busy_timeout", "5000"),
    ])
  func settings(pragma: String, value: String) async throws {
    let database = try folder.open()
    let found = try await database.write { db in try String.fetchOne(db, sql: "PRAGMA \(pragma)") }
    #expect(found == value)
  }

  @Test("Commits stay synchronous after a checkpoint and many writes")
  func synchronousStays() async throws {
    let database = try folder.open()
    for number in 0..<50 { _ = try await database.addAccount("a\(number)") }
    try await database.pool.writeWithoutTransaction { db in _ = try db.checkpoint(.truncate) }
    let found = try await database.write { db in try Int.fetchOne(db, sql: "PRAGMA synchronous") }
    #expect(found == 2)
  }

  @Test("A reader's connection cannot write")
  func readers() throws {
    let database = try folder.open()
    #expect(throws: DatabaseError.self) {
      try database.pool.read { db in try db.execute(sql: "UPDATE meta SET boot = 0") }
    }
    #expect(try database.number("SELECT boot FROM meta") == 1)
  }

  @Test("A second opening is refused until the first one closes")
  func locked() throws {
    var database: SQLiteDatabase? = try folder.open()
    let error = #expect(throws: StoreError.self) { try folder.open() }
    guard case .locked(let path)? = error else {
      Issue.record("\(String(describing: error)) is not about the lock")
      return
    }
    #expect(path == folder.path + "/onthemap.lock")
    #expect(error?.description.contains("in use by another") == true)
    #expect(database?.generation == 1)
    database?.close()
    database = nil
    #expect(try folder.open().generation == 2)
  }

  @Test("A refused opening closes only its own file descriptor")
  func refusedOften() async throws {
    let path = folder.path + ".lock"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let lock = try InstanceLock(path: path)
    async let refusals = Task.detached {
      for _ in 0..<5_000 { #expect(throws: StoreError.self) { try InstanceLock(path: path) } }
    }.value
    var lost = 0
    for _ in 0..<5_000 {
      // This descriptor has the number that a refused opening has just closed.
      let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
      sched_yield()
      if fcntl(descriptor, F_GETFD) < 0 { lost += 1 } else { close(descriptor) }
    }
    await refusals
    #expect(lost == 0)
    withExtendedLifetime(lock) {}
  }

  @Test("The generation rises with each start, and the epoch stays the same")
  func bootAndEpoch() throws {
    var epochs: Set<Epoch> = []
    for generation: UInt32 in 1...4 {
      let database = try folder.open()
      #expect(database.generation == generation)
      #expect(
        try database.number("SELECT boot FROM meta") == Int(generation),
        "The generation is durable before its first use.")
      epochs.insert(database.epoch)
    }
    #expect(epochs.count == 1)
    try folder.damage("UPDATE meta SET boot = 16777214")
    #expect(
      try folder.open().generation == Limits.generationMax, "This is the highest generation that fits a lease token.")
    #expect(try !epochs.contains(Folder().open().epoch), "Another database has another epoch.")
  }

  @Test("Migrations have unique names and run once")
  func migrations() throws {
    var schemas: [String] = []
    for _ in 0..<2 {
      let database = try folder.open()
      let (applied, schema) = try database.pool.read { db in
        (
          try Schema.migrator.appliedIdentifiers(db),
          try String.fetchAll(db, sql: "SELECT coalesce(sql, '') FROM sqlite_schema ORDER BY name").joined()
        )
      }
      #expect(applied == Set(Schema.migrator.migrations))
      #expect(applied.allSatisfy { $0.first?.isNumber == true })
      schemas.append(schema)
      try Schema.migrator.migrate(database.pool)
    }
    #expect(schemas[0] == schemas[1])
    #expect(schemas[0].contains("CREATE TABLE post"))
  }

  @Test("The database folder is created for its owner only")
  func permissions() throws {
    _ = try folder.open()
    let mode = try FileManager.default.attributesOfItem(atPath: folder.path)[.posixPermissions] as? Int
    #expect(mode == 0o700)
  }

  @Test("A file that is not a database is refused and left unchanged")
  func notADatabase() throws {
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
    let text = Data(String(repeating: "this is a diary. ", count: 500).utf8)
    try text.write(to: URL(filePath: folder.database))
    expectUnusable("not a database")
    #expect(try Data(contentsOf: URL(filePath: folder.database)) == text)
  }

  @Test(
    "An empty file, or a database without tables, is refused with a remedy and left unchanged",
    arguments: [false, true])
  func empty(hasHeader: Bool) throws {
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
    // A failed repair leaves such a file.
    let file = URL(filePath: folder.database)
    try Data().write(to: file)
    if hasHeader { try folder.damage("PRAGMA user_version = 5") }
    let bytes = try Data(contentsOf: file)
    #expect(bytes.isEmpty != hasHeader)
    expectUnusable("restore the latest files, or a backup")
    expectUnusable("to begin with an empty database, remove \(folder.database) and start again")
    #expect(try Data(contentsOf: file) == bytes)
    try FileManager.default.removeItem(at: file)
    #expect(try folder.open().generation == 1)
  }

  @Test("A file that a killed first start left behind does not block the next start")
  func killedFirstStart() throws {
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
    try Data("half".utf8).write(to: URL(filePath: folder.database + ".new"))
    let database = try folder.open()
    #expect(database.generation == 1)
    #expect(!FileManager.default.fileExists(atPath: folder.database + ".new"))
    try database.expectSound()
  }

  @Test("A folder that is a file is refused")
  func notAFolder() throws {
    try Data("x".utf8).write(to: URL(filePath: folder.path))
    expectUnusable("already exists")
  }

  @Test(
    "A damaged meta row is refused, and the repaired database can be opened again",
    arguments: [
      ("DELETE FROM meta", "INSERT INTO meta VALUES (1, randomblob(16), 1, 0, 0)"),
      ("UPDATE meta SET epoch = x'00'", "UPDATE meta SET epoch = randomblob(16), boot = 1"),
      ("UPDATE meta SET boot = 16777215", "UPDATE meta SET boot = 1"),
      ("UPDATE meta SET boot = -7", "UPDATE meta SET boot = 1"),
    ])
  func damagedMeta(damage: String, repair: String) throws {
    _ = try folder.open()
    try folder.damage(damage)
    expectUnusable("meta row")
    try folder.damage(repair)
    // Another epoch is refused until the operator deletes the high-water file.
    if repair.contains("randomblob") {
      expectUnusable("not the database that")
      try FileManager.default.removeItem(atPath: folder.path + "/onthemap.highwater")
    }
    #expect(try folder.open().generation == 2)
  }

  @Test("A database without its tables is refused")
  func missingTable() throws {
    _ = try folder.open()
    try folder.damage("DROP TABLE post")
    expectUnusable("it lacks tables (post)")
  }

  @Test("A damaged row is an error, not a crash")
  func damagedRow() async throws {
    var database: SQLiteDatabase? = try folder.open()
    let account = try await #require(database).addAccount()
    let id = try await #require(database).accepted(by: account).id
    for state in [9, 300, -1] {
      database?.close()
      database = nil
      try folder.damage("UPDATE post SET state = \(state)")
      database = try folder.open()
      await #expect(throws: StoreError.self) { try await database?.post(id) }
    }
    database?.close()
    database = nil
    try folder.damage("UPDATE post SET state = 1, lat_e7 = 1, lon_e7 = 1, agreement = 999, seq = -5")
    database = try folder.open()
    #expect(try await database?.post(id)?.seq == nil)
    #expect(try database?.feed().entries.isEmpty == true)
  }

  @Test(
    "The schema's constraints refuse invalid rows",
    arguments: [
      "INSERT INTO account (email, password, first_name, last_name, created_ms) VALUES ('a@b', 'p', 'a', 'b', 'now')",
      "INSERT INTO account (email, password, first_name, last_name, created_ms) VALUES ('a@b', NULL, 'a', 'b', 1)",
      "INSERT INTO post (id, account, place, link, state, created_ms, updated_ms) VALUES (1, 404, 'x', 'y', 0, 1, 1)",
      "INSERT INTO session (token_hash, account, expires_ms) VALUES (x'01', 404, 1)",
      "INSERT INTO meta VALUES (2, randomblob(16), 1, 0, 0)", "INSERT INTO meta VALUES (1, randomblob(16), 1, 0, 0)",
      "UPDATE meta SET epoch = x'00'",
    ])
  func constraints(sql: String) async throws {
    let database = try folder.open()
    let error = await #expect(throws: StoreError.self) {
      try await database.write { db in try db.execute(sql: sql) }
    }
    #expect(error?.description.contains("SQLite error 19") == true, "\(String(describing: error))")
  }
}
