import Domain
import Foundation
import Logging
import ServiceLifecycle
import Store
import Synchronization
import Testing

@testable import Ingest

@Suite("Store failure monitor")
struct StoreFailureMonitorTests {
  /// A service that runs until graceful shutdown.
  private final class Endless: Service {
    private let ended = Mutex(false)

    /// True after graceful shutdown has ended the service.
    var hasEnded: Bool { ended.withLock { $0 } }

    func run() async throws {
      try await gracefulShutdown()
      ended.withLock { $0 = true }
    }
  }

  /// A service that ends immediately.
  private struct Brief: Service {
    func run() async throws {}
  }

  private let map: IngestFixture

  init() throws { map = try IngestFixture(workers: 0) }

  private var monitor: StoreFailureMonitor {
    StoreFailureMonitor(
      database: map.components.database, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
  }

  @Test("A graceful shutdown ends the monitor and the queue history, and the store continues")
  func over() async throws {
    let history = Endless()
    try await monitor.run(beside: Brief(), history)
    #expect(history.hasEnded)
    #expect(map.components.database.stopReason == nil)
    #expect(try await map.account("ada@example.org").email == "ada@example.org")
  }

  @Test("A store that fails during a write ends ingest with the reason")
  func failed() async throws {
    _ = try await map.account("ada@example.org")
    // The next write fails, because the store notices that its file is missing.
    try FileManager.default.removeItem(atPath: map.folder.path + "/data/onthemap.sqlite")
    await #expect(throws: (any Error).self) { try await map.account("bob@example.org") }
    await #expect(throws: StoreFailure.self) { try await monitor.run(beside: Endless(), Endless()) }
    #expect(map.components.database.stopReason != nil)
    #expect(throws: (any Error).self) { try map.components.readiness.check() }
    let response = try await map.client.get("/readyz")
    #expect(response.status == 503 && response["code"] == "store_unavailable")
  }
}
