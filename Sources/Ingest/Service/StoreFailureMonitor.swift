import Domain
import Logging
import ServiceLifecycle
import Store

/// The error of a store that failed during a write: its disk failed, or another ingest leads. Ingest has ended. Restart
/// it, because only a restart reads all data again, or waits until it may lead.
package struct StoreFailure: Error, CustomStringConvertible {
  package let description: String
}

/// Service that ends ingest when its store fails, after waiting clients have an error response.
struct StoreFailureMonitor: Service {
  let database: any StoreHealth
  let logger: Logger

  /// Runs with the queue's history and the disk monitor until HTTP ends or the store fails.
  ///
  /// - Throws: `StoreFailure`, or an error of HTTP.
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
      "store failed: ingest is stopping; restart it, and check the disk or the database if that fails",
      metadata: ["error": "\(failure)"])
    throw StoreFailure(description: "\(failure)")
  }
}
