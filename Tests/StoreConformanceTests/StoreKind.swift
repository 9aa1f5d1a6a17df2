import Domain
import Foundation
import GRDB
import Logging
import PostgresServer
import Store
import StoreTesting
import Synchronization
import Testing

@testable import PostgresStore
@testable import SQLiteStore

/// The stores under test. Add a case for a further store: the compiler then asks for everything that the tests need
/// from the store, all in this file.
enum StoreKind: String, CaseIterable, CustomTestStringConvertible {
  case sqlite
  case postgres
  /// PostgreSQL with a default isolation level of SERIALIZABLE, as some operators set it, and with serialization
  /// failures and deadlocks at random statements and commits.
  case faultyPostgres

  /// The stores that make backups. PostgreSQL has its own tools for them.
  static let backupKinds: [StoreKind] = [.sqlite]

  var testDescription: String { rawValue }

  /// Finds the kind of a store.
  init(of store: any PostStore) throws {
    switch store {
    case is SQLiteDatabase: self = .sqlite
    case is PostgresDatabase: self = .postgres
    default: throw UnknownStore(type: "\(type(of: store))")
    }
  }

  private struct UnknownStore: Error { let type: String }

  /// Creates the place of a new store: a folder or a database.
  func newPlace() throws -> String {
    switch self {
    case .sqlite:
      FileManager.default.temporaryDirectory.appending(path: "onthemap-store-\(UUID().uuidString)").path
    case .postgres: try PostgresServer.shared().createDatabase()
    case .faultyPostgres:
      try InjectedFaults.newDatabase(options: ["default_transaction_isolation": "serializable"])
    }
  }

  /// Removes a place, with its data.
  func remove(_ place: String) {
    switch self {
    case .sqlite: try? FileManager.default.removeItem(atPath: place)
    case .postgres, .faultyPostgres: try? PostgresServer.shared().dropDatabase(place)
    }
  }

  /// Opens the store of a place, or creates it.
  func open(_ place: String) throws -> any IngestStore {
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    switch self {
    case .sqlite: return try SQLiteDatabase(folder: place, logger: logger)
    case .postgres, .faultyPostgres:
      let address = try PostgresAddress(PostgresServer.shared().url(place), passwordFile: nil)
      return try PostgresDatabase(address, logger: logger)
    }
  }

  /// Opens a store with the data of a backup, in a folder that does not exist yet.
  func restored(from backup: String, in folder: URL) async throws -> any IngestStore {
    _ = try await Restore(backup).run(into: folder.path, keepsSessions: false, unixMs: 1_795_716_990_000)
    return try open(folder.path)
  }

  /// Copies the data of an open store as a crash would leave them now. Returns the new place.
  func copy(_ place: String) throws -> String {
    switch self {
    case .sqlite:
      let copy = try newPlace()
      try FileManager.default.copyItem(atPath: place, toPath: copy)
      return copy
    case .postgres, .faultyPostgres: return try PostgresServer.shared().copyDatabase(place)
    }
  }

  /// Submits a body that the store runs like a write: within the transaction of a group, after all earlier writes.
  func submit(to store: any IngestStore, _ body: @escaping @Sendable () -> Void) throws {
    switch self {
    case .sqlite: try #require(store as? SQLiteDatabase).submit({ _ in body() }, then: { _ in })
    case .postgres, .faultyPostgres:
      // The store runs a write again if its first transaction was rolled back.
      let isDone = Atomic(false)
      try #require(store as? PostgresDatabase).submit(
        { _, _ in if !isDone.exchange(true, ordering: .relaxed) { body() } }, then: { _ in })
    }
  }

  /// Runs the engine's own integrity checks.
  func expectSound(_ store: any PostStore, sourceLocation: SourceLocation) async throws {
    switch self {
    case .sqlite:
      let pool = try #require(store as? SQLiteDatabase).pool
      let faults = try await pool.read { db in try String.fetchAll(db, sql: "PRAGMA integrity_check") }
      #expect(faults == ["ok"], sourceLocation: sourceLocation)
      let queued = try await pool.read { db in
        try Int.fetchOne(db, sql: "SELECT count(*) FROM post INDEXED BY post_queued WHERE state = 0")
      }
      #expect(try queued == store.unsettledJobs().count, sourceLocation: sourceLocation)
    case .postgres, .faultyPostgres:
      let database = try #require(store as? PostgresDatabase)
      let faults = try await database.operatorReads.run { try PostgresFaults.all($0) }
      #expect(faults.isEmpty, sourceLocation: sourceLocation)
    }
  }
}

/// Rules of the PostgreSQL store's rows.
private enum PostgresFaults {
  private static let rules = [
    "outcome without post": "SELECT id FROM outcome WHERE NOT EXISTS (SELECT FROM post WHERE post.id = outcome.id)",
    "attempt without post": "SELECT id FROM attempt WHERE NOT EXISTS (SELECT FROM post WHERE post.id = attempt.id)",
    "key without post": "SELECT post FROM post_key WHERE NOT EXISTS (SELECT FROM post WHERE post.id = post_key.post)",
    "post without account":
      "SELECT id FROM post WHERE NOT EXISTS (SELECT FROM account WHERE account.id = post.account)",
    "published without number": "SELECT id FROM outcome WHERE (state = 1) <> (seq IS NOT NULL)",
    "queued post below the bound": """
    SELECT id FROM post WHERE id < (SELECT queued_from FROM meta)
      AND NOT EXISTS (SELECT FROM outcome WHERE outcome.id = post.id)
    """,
  ]

  /// Returns the names of the rules that a row breaks.
  static func all(_ connection: PostgresConnection) throws -> [String] {
    try rules.filter { try connection.query(Statement(once: $0.value)).count > 0 }.map(\.key)
  }
}
