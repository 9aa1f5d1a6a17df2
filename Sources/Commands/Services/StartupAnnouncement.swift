import ServiceLifecycle

/// A service that prints a message when it is ready to, and then waits for graceful shutdown.
struct StartupAnnouncement: Service {
  let announce: @Sendable () async throws -> Void

  func run() async throws {
    try? await cancelWhenGracefulShutdown { try await announce() }
    try? await gracefulShutdown()
  }
}
