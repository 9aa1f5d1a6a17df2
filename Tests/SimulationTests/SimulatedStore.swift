import Foundation
import Logging

@testable import Domain
@testable import SQLiteStore

/// The real store in memory's file system, and what is on its way to it. A crash keeps what is committed, and nothing
/// else.
final class SimulatedStore {
  /// What ingest wants to be on disk.
  enum Write {
    case accept(Request)
    case job(IngestCore.Write)
    case pause(Bool)
    case revive
    case drop(PostID)
    case revise(Int, Revision)
  }

  /// What became of it, as ingest is told; nil where the disk did not take it.
  enum Told {
    case accepted(Request, [IngestDatabase.Acceptance]?)
    case written(IngestCore.Write, SettlementResult?)
    case paused(Bool)
    case revived([Job])
    case deleted(Int, Revision, IngestDatabase.Deletion)
    case edited(Int, Revision, IngestDatabase.Edit)
    case nothing
  }

  private let folder: String
  private let stage: SimulationStage
  private(set) var database: IngestDatabase?
  var waiting: [Write] = []
  var isCommitting = false
  /// Nobody is told anything before this.
  var toldMs: Int64 = 0
  /// Committed, and ingest does not know it: posts that enter its queue, and that leave it, and how often: one may die,
  /// come back and be deleted.
  var entering: Set<PostID> = []
  private(set) var leaving: [PostID: Int] = [:]

  init(_ stage: SimulationStage) {
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

  func open() async throws -> IngestDatabase {
    if !FileManager.default.fileExists(atPath: folder) {
      try FileManager.default.copyItem(atPath: stage.template, toPath: folder)
    }
    let opened = try await IngestDatabase.opened(folder)
    database = opened
    return opened
  }

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
  func take() -> [Write] {
    defer { (waiting, isCommitting) = ([], false) }
    return waiting
  }

  /// Stores it for good, with the real transaction.
  func perform(_ write: Write, unixMs: Int64) async throws -> Told {
    guard let database else { return .nothing }
    switch write {
    case .accept(let request) where request.posts.count == 1:
      let post = request.posts[0]
      let accepted = try await withCheckedThrowingContinuation { continuation in
        database.accept(
          post.submission, account: request.account, idempotency: post.idempotency, unixMs: unixMs
        ) { continuation.resume(with: $0) }
      }
      return .accepted(request, [(try? accepted.get()).map { .accepted($0) } ?? .conflict])
    case .accept(let request):
      let posts = request.posts.map { (submission: $0.submission, idempotency: $0.idempotency) }
      let acceptances = try await withCheckedThrowingContinuation { continuation in
        database.accept(posts, account: request.account, room: posts.count, unixMs: unixMs) {
          continuation.resume(with: $0)
        }
      }
      return .accepted(request, acceptances)
    case .job(let write): return .written(write, try await database.settled(write.records, unixMs: unixMs))
    case .pause(let isPaused):
      let sinceMs = try await withCheckedThrowingContinuation { continuation in
        database.setPaused(sinceMs: isPaused ? unixMs : nil) { continuation.resume(with: $0) }
      }
      return .paused(sinceMs != nil)
    case .revive:
      let selection = DeadSelection.all(reason: nil, after: nil)
      return .revived(try await database.revive(selection, limit: Limits.adminPostsMax, unixMs: unixMs).jobs)
    case .drop(let id):
      _ = try await database.drop([id], unixMs: unixMs)
      return .nothing
    case .revise(let number, let revision): return try await revise(number, revision, in: database, unixMs: unixMs)
    }
  }

  /// What ingest is told of a write that the disk did not take.
  func refuse(_ write: Write) -> Told {
    switch write {
    case .accept(let request): .accepted(request, nil)
    case .job(let write): .written(write, nil)
    case .pause, .revive, .drop, .revise: .nothing
    }
  }
}

extension IngestDatabase {
  /// Whoever closes it may still be at it.
  static func opened(_ folder: String) async throws -> IngestDatabase {
    let end = ContinuousClock.now + .seconds(5)
    while true {
      do {
        return try IngestDatabase(folder: folder, logger: Logger(label: "simulation") { _ in SwiftLogNoOpLogHandler() })
      } catch StoreError.locked where ContinuousClock.now < end {
        try await Task.sleep(for: .milliseconds(1))
      }
    }
  }

  func settled(_ records: [SettlementRecord], unixMs: Int64) async throws -> SettlementResult {
    try await withCheckedThrowingContinuation { continuation in
      settle(records, unixMs: unixMs) { continuation.resume(with: $0) }
    }
  }
}
