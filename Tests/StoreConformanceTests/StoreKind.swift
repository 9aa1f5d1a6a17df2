import Foundation
import GRDB
import Logging
import Store
import StoreTesting
import Testing

@testable import SQLiteStore

/// The stores under test. Add a case for a further store: the compiler then asks for everything that the tests need
/// from the store, all in this file.
enum StoreKind: String, CaseIterable, CustomTestStringConvertible {
  case sqlite

  var testDescription: String { rawValue }

  /// Finds the kind of a store.
  init(of store: any PostStore) throws {
    self = try #require(store is SQLiteDatabase ? .sqlite : nil, "StoreKind does not know \(type(of: store))")
  }

  /// Opens the store in a folder, or creates it.
  func open(in folder: URL) throws -> any IngestStore {
    switch self {
    case .sqlite:
      try SQLiteDatabase(folder: folder.path, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }
  }

  /// Opens a store with the data of a backup, in a folder that does not exist yet.
  func restored(from backup: String, in folder: URL) async throws -> any IngestStore {
    switch self {
    case .sqlite:
      _ = try await Restore(backup).run(into: folder.path, keepsSessions: false, unixMs: 1_795_716_990_000)
    }
    return try open(in: folder)
  }

  /// Copies the data of an open store as a crash would leave them now.
  func copy(_ folder: URL, to copy: URL) throws {
    switch self {
    case .sqlite: try FileManager.default.copyItem(at: folder, to: copy)
    }
  }

  /// Submits a body that the store runs like a write: within the transaction of a group, after all earlier writes.
  func submit(to store: any IngestStore, _ body: @escaping @Sendable () -> Void) throws {
    switch self {
    case .sqlite: try #require(store as? SQLiteDatabase).submit({ _ in body() }, then: { _ in })
    }
  }

  /// Runs the engine's own integrity checks.
  func expectSound(_ store: any PostStore, sourceLocation: SourceLocation) throws {
    switch self {
    case .sqlite:
      let pool = try #require(store as? SQLiteDatabase).pool
      let faults = try pool.read { db in try String.fetchAll(db, sql: "PRAGMA integrity_check") }
      #expect(faults == ["ok"], sourceLocation: sourceLocation)
      let queued = try pool.read { db in
        try Int.fetchOne(db, sql: "SELECT count(*) FROM post INDEXED BY post_queued WHERE state = 0")
      }
      #expect(try queued == store.unsettledJobs().count, sourceLocation: sourceLocation)
    }
  }
}
