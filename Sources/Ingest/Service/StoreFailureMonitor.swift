import Domain
import Logging
import ServiceLifecycle
import Store

/// The error of a disk that failed during a write. Ingest has ended. Restart it, because only a restart reads all data
/// from the disk again.
package struct DiskFailure: Error, CustomStringConvertible {
  package let description: String
}

/// Service that ends ingest when its disk fails, after waiting clients have an error response.
struct StoreFailureMonitor: Service {
  let database: any StoreHealth
  let logger: Logger

  /// Runs with the queue's history and the disk monitor until HTTP ends or the disk fails.
  ///
  /// - Throws: `DiskFailure`, or an error of HTTP.
  func run(beside http: some Service, _ history: some Service) async throws {
    var configuration = ServiceGroupConfiguration(
      services: [
        .init(
          service: http, successTerminationBehavior: .gracefullyShutdownGroup,
          failureTerminationBehavior: .gracefullyShutdownGroup),
        .init(service: history, successTerminationBehavior: .ignore, failureTerminationBehavior: .ignore),
        .init(
          service: DiskSpaceMonitor(database: database, logger: logger), successTerminationBehavior: .ignore,
          failureTerminationBehavior: .ignore),
        .init(
          service: self, successTerminationBehavior: .ignore, failureTerminationBehavior: .gracefullyShutdownGroup),
      ], logger: logger)
    // The shutdown may take as long as after a signal.
    configuration.maximumGracefulShutdownDuration = .milliseconds(Limits.shutdownMs)
    try await ServiceGroup(configuration: configuration).run()
  }

  func run() async throws {
    guard let failure = await cancelWhenGracefulShutdown({ await database.failure() }) else { return }
    logger.critical(
      "disk failed: ingest is stopping; restart it, and check the disk if that fails",
      metadata: ["error": "\(failure)"])
    throw DiskFailure(description: "\(failure)")
  }
}
