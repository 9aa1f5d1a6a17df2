import Domain
import Logging
import ServiceLifecycle
import Store

/// The disk has failed under a write: ingest has ended, because nothing that such a disk says later can be trusted
/// before everything is read anew. Start it again.
package struct DiskFailure: Error, CustomStringConvertible {
  package let description: String
}

/// Ends ingest when its disk fails, and lets those who wait hear first that theirs is not stored.
struct StoreFailureMonitor: Service {
  let database: any StoreHealth
  let logger: Logger

  /// Runs, with the queue's history and the watch of the disk's room, until HTTP ends, or the disk fails.
  ///
  /// - Throws: `DiskFailure`, or what HTTP throws.
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
    // As long as after a signal.
    configuration.maximumGracefulShutdownDuration = .milliseconds(Limits.shutdownMs)
    try await ServiceGroup(configuration: configuration).run()
  }

  func run() async throws {
    guard let failure = await cancelWhenGracefulShutdown({ await database.failure() }) else { return }
    logger.critical(
      "the disk has failed: start again, and see to the disk if that fails", metadata: ["error": "\(failure)"])
    throw DiskFailure(description: "\(failure)")
  }
}
