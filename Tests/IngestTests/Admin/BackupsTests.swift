import Domain
import Foundation
import InMemoryLogging
import Logging
import SQLiteStore
import Store
import Testing

@testable import Ingest

/// A store whose backups wait at a gate.
private final class GatedStore: BackupStore {
  private let database: SQLiteDatabase
  private let gate = DispatchSemaphore(value: 0)

  init(_ database: SQLiteDatabase) { self.database = database }

  var lastBackupMs: Int64? { database.lastBackupMs }

  func backUp(_ request: BackupRequest, unixMs: Int64) throws(BackupError) -> BackupSummary {
    gate.wait()
    return try database.backUp(request, unixMs: unixMs)
  }

  /// Lets one backup pass.
  func open() { gate.signal() }
}

@Suite("Runner of backups")
struct BackupsTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "onthemap-backups-\(UUID().uuidString)")

  private func ended(_ backups: Backups) async throws -> BackupState {
    let end = ContinuousClock.now + .seconds(120)
    while ContinuousClock.now < end {
      if let state = backups.state, state.outcome != .running { return state }
      try await Task.sleep(for: .milliseconds(5))
    }
    return try #require(nil, "the backup did not end")
  }

  @Test("A second backup is refused while the first one runs, and failures are logged and reported")
  func one() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let target = folder.appending(path: "backups").path
    try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
    let log = InMemoryLogHandler()
    let logger = Logger(label: "test") { _ in log }
    let database = try SQLiteDatabase(folder: folder.appending(path: "data").path, logger: logger)
    defer { database.close() }
    let store = GatedStore(database)
    let backups = Backups(store: store, logger: logger)
    #expect(backups.state == nil)
    let request = BackupRequest(folder: target, isSameDeviceAllowed: true)
    let started = try backups.start(request, by: .user(0))
    #expect(started.number == 1 && started.outcome == .running && backups.state == started)
    let refusal = #expect(throws: AdminRefusal.self) { try backups.start(request, by: .user(0)) }
    #expect(refusal?.code == .busy && refusal?.detail.contains("a backup is running") == true)
    store.open()
    guard case .succeeded(let backup) = try await ended(backups).outcome else {
      throw BackupError("\(String(describing: backups.state))")
    }
    #expect(backup.path.hasPrefix(target) && FileManager.default.fileExists(atPath: backup.path))
    #expect(log.entries.contains { "\($0.message)" == "backup completed" })

    store.open()
    let second = try backups.start(BackupRequest(folder: target), by: .user(0))
    #expect(second.number == 2)
    guard case .failed(let reason) = try await ended(backups).outcome else {
      throw BackupError("\(String(describing: backups.state))")
    }
    #expect(reason.contains("is on the device of the data folder"))
    #expect(log.entries.contains { "\($0.message)" == "backup failed" && $0.level == .error })
  }

  @Test("A store without backups refuses each request, and names the tools of its database")
  func none() {
    let backups = Backups(store: nil, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let refusal = #expect(throws: AdminRefusal.self) {
      try backups.start(BackupRequest(folder: "/backups"), by: .user(0))
    }
    #expect(refusal?.code == .invalid)
    #expect(
      refusal?.detail
        == "this ingest uses PostgreSQL: back up the database with its own tools (deploy/PostgreSQLBackup.md)")
    #expect(backups.state == nil)
  }
}
