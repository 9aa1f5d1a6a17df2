import Logging
import ServiceLifecycle

/// A service that announces readiness, and then the shutdown.
struct StartupAnnouncement: Service {
  let logger: Logger
  /// Waits until the process is ready, and prints its addresses.
  let announce: @Sendable () async throws -> Void

  func run() async throws {
    try? await cancelWhenGracefulShutdown { try await announce() }
    try? await gracefulShutdown()
    logger.notice("shutdown requested")
  }
}
