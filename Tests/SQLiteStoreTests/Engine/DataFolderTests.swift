import Foundation
import GRDB
import Store
import StoreTesting
import Testing

@testable import SQLiteStore

@Suite("Data folder from outside")
struct DataFolderTests {
  private let folder = Folder()

  private var inspected: DataFolder { DataFolder(folder.path) }

  /// Names, sizes and times of the files.
  private func files() throws -> [String: String] {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    return Dictionary(
      uniqueKeysWithValues: try names.map { name in
        let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder.path)/\(name)")
        return (name, "\(attributes[.size] ?? 0) \(attributes[.modificationDate] ?? 0)")
      })
  }

  /// Copies the files of an open database, as a killed process leaves them.
  private func copyOfKilled() async throws -> Folder {
    let database = try folder.open()
    _ = try await database.addAccount("a")
    let copy = Folder()
    try FileManager.default.copyItem(atPath: folder.path, toPath: copy.path)
    database.close()
    return copy
  }

  @Test("A folder without a database has none, and stays as it is")
  func none() throws {
    #expect(inspected.inspect() == .none)
    #expect(inspected.isInUse == false)
    #expect(!FileManager.default.fileExists(atPath: folder.path))
  }

  @Test("An open database is in use, and a closed one is not")
  func lock() throws {
    let database = try folder.open()
    #expect(inspected.isInUse == true)
    database.close()
    #expect(inspected.isInUse == false)
  }

  @Test("The check of a closed database changes no file")
  func closed() throws {
    try folder.open().close()
    let before = try files()
    guard case .intact(let bytes) = inspected.inspect() else {
      Issue.record("\(inspected.inspect())")
      return
    }
    #expect(bytes > 0)
    #expect(try files() == before)
  }

  @Test("The check reads the log of a killed ingest, and changes no file")
  func killed() async throws {
    let copy = try await copyOfKilled()
    let log = copy.database + "-wal"
    let before = try FileManager.default.contentsOfDirectory(atPath: copy.path).sorted()
    let bytes = try Data(contentsOf: URL(fileURLWithPath: log))
    guard case .intact = DataFolder(copy.path).inspect() else {
      Issue.record("\(DataFolder(copy.path).inspect())")
      return
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: copy.path).sorted() == before)
    #expect(try Data(contentsOf: URL(fileURLWithPath: log)) == bytes)
  }

  @Test("A log without its index is not checked, because the check would create it")
  func withoutIndex() async throws {
    let copy = try await copyOfKilled()
    try FileManager.default.removeItem(atPath: copy.database + "-shm")
    guard case .unchecked = DataFolder(copy.path).inspect() else {
      Issue.record("\(DataFolder(copy.path).inspect())")
      return
    }
    #expect(!FileManager.default.fileExists(atPath: copy.database + "-shm"))
  }

  @Test("A database that the next start refuses is unusable, with the reason of that start")
  func unusable() async throws {
    let copy = try await copyOfKilled()
    // The log is lost, so the database lacks numbers that the high-water file has.
    try Data().write(to: URL(fileURLWithPath: copy.database + "-wal"))
    guard case .unusable(let reason) = DataFolder(copy.path).inspect() else {
      Issue.record("\(DataFolder(copy.path).inspect())")
      return
    }
    let refusal = #expect(throws: StoreError.self) { try copy.open() }
    #expect(refusal?.description == reason)
  }

  @Test("A database of a newer version is unusable")
  func newer() throws {
    try folder.open().close()
    try folder.damage("INSERT INTO grdb_migrations (identifier) VALUES ('from the future')")
    guard case .unusable(let reason) = inspected.inspect() else {
      Issue.record("\(inspected.inspect())")
      return
    }
    #expect(reason.contains("newer version"))
  }

  @Test("SQLite may be used by several threads")
  func library() {
    #expect(DataFolder.Library.isThreadSafe)
    #expect(DataFolder.Library.version.hasPrefix("3."))
  }
}
