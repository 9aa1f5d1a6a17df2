import Foundation
import Logging
import Store

@testable import Domain
@testable import SQLiteStore

/// The real store in memory's file system, and what is on its way to it. A crash keeps what is committed, and nothing
/// else.
final class SimulatedStore {
  /// A write on its way to the disk.
  struct Submitted {
    /// Who asked for it.
    enum Origin {
      case client(Request)
      case core(IngestCore.Write)
      case operation
      case owner(Int)
    }

    let write: PostWrite
    let origin: Origin
  }

  /// The end of a write, as ingest gets it; nil where the disk did not take it.
  struct Completed {
    let submitted: Submitted
    let result: PostWriteResult?
  }

  private let folder: String
  private let stage: SimulationFixture
  private(set) var database: SQLiteDatabase?
  var waiting: [Submitted] = []
  var isCommitting = false
  /// Nobody is told anything before this.
  var toldMs: Int64 = 0
  /// Committed, and ingest does not know it: posts that enter its queue, and that leave it, and how often: one may die,
  /// come back and be deleted.
  var entering: Set<PostID> = []
  private(set) var leaving: [PostID: Int] = [:]

  init(_ stage: SimulationFixture) {
    self.stage = stage
    folder = SimulatedStore.place + "/onthemap-simulation-\(UUID().uuidString)"
  }

  deinit {
    database = nil
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Where a sync costs nothing.
  static let place =
    FileManager.default.fileExists(atPath: "/dev/shm") ? "/dev/shm" : FileManager.default.temporaryDirectory.path

  func open() async throws -> SQLiteDatabase {
    if !FileManager.default.fileExists(atPath: folder) {
      try FileManager.default.copyItem(atPath: stage.template, toPath: folder)
    }
    let opened = try await SQLiteDatabase.opened(folder)
    database = opened
    return opened
  }

  /// Somebody has put a database here, or lets the store go on with what is left of one: it begins a new history.
  func beginEpoch() { try? FileManager.default.removeItem(atPath: folder + "/onthemap.highwater") }

  func crash() {
    database = nil
    (waiting, isCommitting, entering, leaving) = ([], false, [], [:])
  }

  /// A post's job has no more to do: committed.
  func leave(_ id: PostID) { leaving[id, default: 0] += 1 }

  /// Ingest knows that.
  func hasLeft(_ id: PostID) {
    let more = (leaving[id] ?? 0) - 1
    leaving[id] = more > 0 ? more : nil
  }

  /// What waits, as one group.
  func take() -> [Submitted] {
    defer { (waiting, isCommitting) = ([], false) }
    return waiting
  }

  /// Stores it for good, with the real transaction.
  func perform(_ submitted: Submitted) async throws -> Completed {
    Completed(submitted: submitted, result: try await database?.execute(submitted.write))
  }
}

extension SQLiteDatabase {
  /// Whoever closes it may still be at it.
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
