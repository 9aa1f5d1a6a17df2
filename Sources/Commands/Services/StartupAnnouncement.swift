import ServiceLifecycle

/// Says something when the time has come, and then does nothing until the end.
struct StartupAnnouncement: Service {
  let say: @Sendable () async throws -> Void

  func run() async throws {
    try? await cancelWhenGracefulShutdown { try await say() }
    try? await gracefulShutdown()
  }
}
