import Domain
import Foundation
import Logging
import ServiceLifecycle
import Store
import Synchronization
import Testing

@testable import Ingest

@Suite("The watch of the disk")
struct StoreFailureMonitorTests {
  /// A service that runs until graceful shutdown.
  private final class Endless: Service {
    private let ended = Mutex(false)

    /// True once graceful shutdown has ended the service.
    var hasEnded: Bool { ended.withLock { $0 } }

    func run() async throws {
      try await gracefulShutdown()
      ended.withLock { $0 = true }
    }
  }

  /// A service that ends at once.
  private struct Brief: Service {
    func run() async throws {}
  }

  private let map: IngestFixture

  init() throws { map = try IngestFixture(workers: 0) }

  private var watch: StoreFailureMonitor {
    StoreFailureMonitor(database: map.components.database, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
  }

  @Test("The watch and the queue's history end with HTTP by graceful shutdown, and the store goes on")
  func over() async throws {
    let history = Endless()
    try await watch.run(beside: Brief(), history)
    #expect(history.hasEnded)
    #expect(map.components.database.stopReason == nil)
    #expect(try await map.account("ada@example.org").email == "ada@example.org")
  }

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
