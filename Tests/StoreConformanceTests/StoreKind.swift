import Foundation
import GRDB
import Logging
import Store
import StoreTesting
import Testing

@testable import SQLiteStore

/// The stores that must keep the promises of the seam. Another store is another case: the compiler then asks for what
/// the tests need of it, all in this file.
enum StoreKind: String, CaseIterable, CustomTestStringConvertible {
  case sqlite

  var testDescription: String { rawValue }

  /// The kind of a store.
  init(of store: any PostStore) throws {
    self = try #require(store is SQLiteDatabase ? .sqlite : nil, "StoreKind does not know \(type(of: store))")
  }

  /// Opens the store in a folder, or makes it.
  func open(in folder: URL) throws -> any IngestStore {
    switch self {
    case .sqlite:
      try SQLiteDatabase(folder: folder.path, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }
  }

  /// Copies the data of a store that is open, as a crash of everything would leave them now.
  func copy(_ folder: URL, to copy: URL) throws {
    switch self {
    case .sqlite: try FileManager.default.copyItem(at: folder, to: copy)
    }
  }

  /// Submits a body that the store runs where it would execute a write: within the transaction of a group, after the
  /// writes that were submitted before.
  func submit(to store: any IngestStore, _ body: @escaping @Sendable () -> Void) throws {
    switch self {
    case .sqlite: try #require(store as? SQLiteDatabase).submit({ _ in body() }, then: { _ in })
    }
  }

  /// Checks what an engine can check of its own data.
  func expectSound(_ store: any PostStore, sourceLocation: SourceLocation) throws {
    switch self {
    case .sqlite:
      let pool = try #require(store as? SQLiteDatabase).pool
      let verdict = try pool.read { db in try String.fetchAll(db, sql: "PRAGMA integrity_check") }
      #expect(verdict == ["ok"], sourceLocation: sourceLocation)
      let queued = try pool.read { db in
        try Int.fetchOne(db, sql: "SELECT count(*) FROM post INDEXED BY post_queued WHERE state = 0")
      }
      #expect(try queued == store.unsettledJobs().count, sourceLocation: sourceLocation)
    }
  }
}
