import Domain
import Foundation
import Logging
import ServiceLifecycle
import Store
import Testing

@testable import Ingest

@Suite("The watch of the disk")
struct DiskWatchTests {
  /// A service that runs until graceful shutdown.
  private struct Endless: Service {
    func run() async throws { try await gracefulShutdown() }
  }

  /// A service that ends at once.
  private struct Brief: Service {
    func run() async throws {}
  }

  private let map: IngestStage

  init() throws { map = try IngestStage(workers: 0) }

  private var watch: DiskWatch {
    DiskWatch(database: map.components.database, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
  }

  @Test("It ends with HTTP")
  func over() async throws { try await watch.run(beside: Brief(), Endless()) }

  @Test("A store that fails under a write ends ingest with the reason, and stores nothing more")
  func failed() async throws {
    _ = try await map.account("ada@example.org")
    // The store finds that its file has gone, as after a failed disk.
    try FileManager.default.removeItem(atPath: map.folder.path + "/data/onthemap.sqlite")
    await #expect(throws: (any Error).self) { try await map.account("bob@example.org") }
    await #expect(throws: DiskFailure.self) { try await watch.run(beside: Endless(), Endless()) }
    #expect(map.components.database.stopReason != nil)
    #expect(throws: (any Error).self) { try map.components.readiness.check() }
    let answer = try await map.client.get("/readyz")
    #expect(answer.status == 503 && answer["code"] == "store_unusable")
  }
}
