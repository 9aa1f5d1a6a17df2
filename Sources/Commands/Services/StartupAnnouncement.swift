import Logging
import ServiceLifecycle
import Synchronization

/// A service that announces readiness, and then the shutdown, unless a failed service causes it.
struct StartupAnnouncement: Service {
  /// True after the failure of a service of this process.
  fileprivate static let hasFailed = Mutex(false)

  let logger: Logger
  /// Waits until the process is ready, and prints its addresses.
  let announce: @Sendable () async throws -> Void

  func run() async throws {
    try? await cancelWhenGracefulShutdown { try await announce() }
    try? await gracefulShutdown()
    if !StartupAnnouncement.hasFailed.withLock({ $0 }) { logger.notice("shutdown requested") }
  }
}

/// A service whose failure is recorded before the other services shut down.
struct RecordedService<Base: Service>: Service {
  let base: Base

  init(_ base: Base) { self.base = base }

  func run() async throws {
    do { try await base.run() } catch {
      StartupAnnouncement.hasFailed.withLock { $0 = true }
      throw error
    }
  }
}
