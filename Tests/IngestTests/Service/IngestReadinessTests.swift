import Foundation
import HTTPTypes
import Logging
import Store
import Synchronization
import Testing

@testable import Domain
@testable import Ingest
@testable import Messaging
@testable import SQLiteStore
@testable import Web

/// The health of a store whose database became unreachable at a time.
private struct UnreachableStore: StoreHealth {
  let unavailableSinceMs: Int64?

  var diskFullMs: Int64? { nil }
  var stopReason: StoreError? { nil }
  var space: StoreSpace { StoreSpace() }
  var commits: QueueStatus.Commits { QueueStatus.Commits() }

  func checkDisk() async -> (isFull: Bool, refused: Int) { (false, 0) }

  func failure() async -> StoreError? { nil }

  func close() {}
}

@Suite("Ingest readiness")
struct IngestReadinessTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "onthemap-ready-\(UUID().uuidString)")
  private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

  private func readiness(depth: Int = 0, pausedMs: Int64? = nil) throws -> IngestReadiness {
    try readiness(of: SQLiteDatabase(folder: folder.path, logger: logger), depth: depth, pausedMs: pausedMs)
  }

  private func readiness(
    of database: SQLiteDatabase, depth: Int = 0, pausedMs: Int64? = nil
  ) throws -> IngestReadiness {
    let wake = WakeupEvent()
    let jobs = CommandQueue<JobServer.Command>(wake)
    let pause = QueuePause(sinceMs: pausedMs, changes: database.changes)
    let queue = PostPipeline(
      database: database, jobs: jobs, changes: CommandQueue<[FeedChange]>(wake),
      lookups: Lookups(jobs: jobs, pause: pause, generation: database.generation), depth: depth, waitMaxMs: 1_000,
      postsPerMinute: nil, logger: logger)
    return IngestReadiness(database: database, queue: queue, pause: pause)
  }

  private func code(of readiness: IngestReadiness) -> String? {
    do {
      _ = try readiness.check()
      return nil
    } catch { return error.code }
  }

  @Test("Ingest is ready with one free slot in its backlog, and while paused")
  func ready() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let readiness = try readiness(depth: Limits.queueDepthMax - 1, pausedMs: 1_000)
    #expect(try readiness.check()?.contains("the queue has been paused since 1970-01-01T00:00:01") == true)
    readiness.queue.recordQueueWait(999)
    #expect(code(of: readiness) == nil)
  }

  @Test("A full or stalled backlog makes ingest unready until the backlog recovers")
  func backlog() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let readiness = try readiness(depth: Limits.queueDepthMax)
    #expect(code(of: readiness) == "backlog_full")
    readiness.queue.depth.subtract(1, ordering: .relaxed)
    readiness.queue.recordQueueWait(1_000)
    #expect(code(of: readiness) == "backlog_stalled")
    readiness.queue.recordQueueWait(999)
    #expect(code(of: readiness) == nil)
  }

  @Test("An unreachable database makes ingest unready, with the time, until the database is reachable again")
  func unreachable() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let reachable = try readiness()
    func ingest(unreachableSinceMs sinceMs: Int64?) -> IngestReadiness {
      IngestReadiness(
        database: UnreachableStore(unavailableSinceMs: sinceMs), queue: reachable.queue, pause: reachable.pause)
    }
    let problem = #expect(throws: Problem.self) { try ingest(unreachableSinceMs: 1_000).check() }
    #expect(problem?.status == .serviceUnavailable && problem?.code == "store_unavailable")
    #expect(problem?.detail.contains("the database has been unreachable since 1970-01-01T00:00:01") == true)
    #expect(code(of: ingest(unreachableSinceMs: nil)) == nil && code(of: reachable) == nil)
  }

  @Test("A stopped store makes ingest unready")
  func stopped() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let database = try SQLiteDatabase(folder: folder.path, logger: logger)
    let readiness = try readiness(of: database)
    #expect(code(of: readiness) == nil)
    try FileManager.default.removeItem(at: folder.appending(path: "onthemap.sqlite"))
    let registration = try Registration(
      email: "ada@example.org", password: "correct-horse", firstName: "Ada", lastName: "")
    await #expect(throws: StoreError.self) {
      _ = try await database.addAccount(registration, passwordHash: "", unixMs: 1)
    }
    #expect(code(of: readiness) == "store_unavailable")
  }
}
