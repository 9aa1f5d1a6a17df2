import Foundation
import GRDB
import Logging
import Store

@testable import Domain
@testable import SQLiteStore

/// The real store in a memory file system, with its queue of writes. A crash keeps only committed data.
final class SimulatedStore {
  /// A submitted write.
  struct Submitted {
    /// Origin of a write.
    enum Origin {
      case client(Request)
      case core(IngestCore.Write)
      case operation
      case owner(Int)
    }

    let write: PostWrite
    let origin: Origin
  }

  /// A completed write. Its result is nil if the write was refused.
  struct Completed {
    let submitted: Submitted
    let result: PostWriteResult?
  }

  /// Folder of the current database.
  private var folder: String
  /// All folders of this run.
  private var folders: [String] = []
  private let fixture: SimulationFixture
  private(set) var database: SQLiteDatabase?
  var waiting: [Submitted] = []
  var isCommitting = false
  /// Earliest time of the next completion.
  var completionMs: Int64 = 0
  /// Posts that are queued on disk, but not yet in ingest's memory.
  var entering: Set<PostID> = []
  /// Number of committed ends of a post's job that ingest does not know yet. A post may die, be retried and be deleted.
  private(set) var leaving: [PostID: Int] = [:]

  init(_ fixture: SimulationFixture) {
    self.fixture = fixture
    folder = SimulatedStore.newFolder()
    folders = [folder]
  }

  deinit {
    database = nil
    for folder in folders { try? FileManager.default.removeItem(atPath: folder) }
  }

  /// The folder of all databases. A sync costs nothing in a memory file system.
  static let parentFolder =
    FileManager.default.fileExists(atPath: "/dev/shm") ? "/dev/shm" : FileManager.default.temporaryDirectory.path

  private static func newFolder() -> String { parentFolder + "/onthemap-simulation-\(UUID().uuidString)" }

  func open() async throws -> SQLiteDatabase {
    if !FileManager.default.fileExists(atPath: folder) {
      try FileManager.default.copyItem(atPath: fixture.template, toPath: folder)
    }
    let opened = try await SQLiteDatabase.opened(folder)
    database = opened
    return opened
  }

  /// Deletes the high-water file, as if the database were replaced, so that the next start begins a new epoch.
  func beginEpoch() { try? FileManager.default.removeItem(atPath: folder + "/onthemap.highwater") }

  /// Copies the durable data to another folder, and returns its path.
  func copy() throws -> String {
    let copy = SimulatedStore.newFolder()
    folders.append(copy)
    try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: true)
    try database?.pool.backup(to: DatabaseQueue(path: copy + "/onthemap.sqlite"))
    for name in ["/onthemap.highwater", DeletionList.name] {
      try? FileManager.default.copyItem(atPath: folder + name, toPath: copy + name)
    }
    return copy
  }

  /// Continues with a copy of the data.
  func replace(with copy: String) async throws {
    database = nil
    folder = copy
    _ = try await open()
  }

  func crash() {
    database = nil
    forget()
  }

  /// Forgets the memory of ingest's process. The database stays open.
  func forget() {
    (waiting, isCommitting, entering, leaving) = ([], false, [], [:])
  }

  /// Records a committed end of a post's job.
  func leave(_ id: PostID) { leaving[id, default: 0] += 1 }

  /// Records that ingest knows a committed end of a post's job.
  func hasLeft(_ id: PostID) {
    let remaining = (leaving[id] ?? 0) - 1
    leaving[id] = remaining > 0 ? remaining : nil
  }

  /// Removes and returns the waiting writes as one group.
  func take() -> [Submitted] {
    defer { (waiting, isCommitting) = ([], false) }
    return waiting
  }

  /// Executes a write in a real transaction.
  func perform(_ submitted: Submitted) async throws -> Completed {
    Completed(submitted: submitted, result: try await database?.execute(submitted.write))
  }
}

extension SQLiteDatabase {
  /// Opens the database. Retries while an earlier connection is still closing.
  static func opened(_ folder: String) async throws -> SQLiteDatabase {
    let end = ContinuousClock.now + .seconds(120)
    while true {
      do {
        return try SQLiteDatabase(folder: folder, logger: Logger(label: "simulation") { _ in SwiftLogNoOpLogHandler() })
      } catch StoreError.locked where ContinuousClock.now < end {
        try await Task.sleep(for: .milliseconds(1))
      }
    }
  }
}
