import Domain
import Foundation
import GRDB
import Logging
import Store
import StoreTesting
import Testing

@testable import SQLiteStore

/// The stores that must keep the promises of the seam. Another store is another case here.
enum StoreKind: String, CaseIterable, CustomTestStringConvertible {
  case sqlite

  var testDescription: String { rawValue }
}

/// The data of one store. They outlive the store, and go with this object.
final class StorePlace: Sendable {
  private let kind: StoreKind
  private let folder = FileManager.default.temporaryDirectory.appending(path: "onthemap-store-\(UUID().uuidString)")

  init(_ kind: StoreKind) { self.kind = kind }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// Opens the store, or makes it. The store keeps this object.
  func open() throws -> any IngestStore {
    let store: any IngestStore =
      switch kind {
      case .sqlite:
        try SQLiteDatabase(folder: folder.path, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
      }
    store.changes.observe { [self] _ in withExtendedLifetime(self) {} }
    return store
  }

  /// The data as a crash of everything would leave them now. The store goes on here.
  func crashed() throws -> StorePlace {
    let place = StorePlace(kind)
    switch kind {
    case .sqlite: try FileManager.default.copyItem(at: folder, to: place.folder)
    }
    return place
  }
}

/// Holds up a store's commits until it is opened, so that a group of writes can gather.
final class Gate: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  /// Returns when the store stands at the gate: within a transaction, after the statements of the writes of its group
  /// that were submitted before, and before their commit.
  init(_ store: any IngestStore) async throws {
    let sqlite = try #require(store as? SQLiteDatabase)
    await withCheckedContinuation { reached in submit(to: sqlite) { reached.resume() } }
  }

  /// A gate that is reached later.
  private init(behind store: SQLiteDatabase, reached: @escaping @Sendable () -> Void) {
    submit(to: store, reached: reached)
  }

  private func submit(to store: SQLiteDatabase, reached: @escaping @Sendable () -> Void) {
    store.submit(
      { [semaphore] _ in
        reached()
        semaphore.wait()
      }, then: { _ in })
  }

  /// Submits writes that are committed together, and returns the gate between their statements and their commit.
  static func before(_ store: any IngestStore, commitOf writes: () -> Void) async throws -> Gate {
    let sqlite = try #require(store as? SQLiteDatabase)
    let gathering = try await Gate(store)
    writes()
    var gate: Gate?
    await withCheckedContinuation { reached in
      gate = Gate(behind: sqlite) { reached.resume() }
      gathering.open()
    }
    return try #require(gate)
  }

  func open() { semaphore.signal() }
}

extension PostStore {
  /// Checks what a store of this kind can check itself.
  func expectSound(sourceLocation: SourceLocation = #_sourceLocation) throws {
    guard let store = self as? SQLiteDatabase else { return }
    let verdict = try store.pool.read { db in try String.fetchAll(db, sql: "PRAGMA integrity_check") }
    #expect(verdict == ["ok"], sourceLocation: sourceLocation)
    let queued = try store.pool.read { db in
      try Int.fetchOne(db, sql: "SELECT count(*) FROM post INDEXED BY post_queued WHERE state = 0")
    }
    #expect(try queued == unsettledJobs().count, sourceLocation: sourceLocation)
  }

  /// Identity of the history that the sequence numbers belong to.
  var epoch: Epoch { get throws { try feed().epoch } }
}

extension PostReader {
  /// The number of an account's posts, a hundred at most.
  func count(of account: AccountID) async throws -> Int {
    try await posts(of: account, PostFilter(), isNewestFirst: false, after: nil, limit: 100, for: .ingest).posts.count
  }
}

extension AccountStore {
  /// The number of accounts, a hundred at most.
  var accountCount: Int {
    get async throws { try await users(email: nil, after: nil, limit: 100, unixMs: 1).count }
  }
}
