import Foundation
import Logging
import ServiceLifecycle
import UnixSignals

/// Runs services until a signal: SIGTERM and SIGINT end them gracefully, after 4 seconds at once.
func serve(_ services: [any Service], logger: Logger) async throws {
  prepareProcess()
  var configuration = ServiceGroupConfiguration(
    services: services.map { .init(service: $0, successTerminationBehavior: .gracefullyShutdownGroup) },
    gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
  configuration.maximumGracefulShutdownDuration = .seconds(4)
  try await ServiceGroup(configuration: configuration).run()
}

/// What every long-running role wants of its process.
private func prepareProcess() {
  // A peer that is gone, or a file that may not grow, is an error to be answered, not the end.
  signal(SIGPIPE, SIG_IGN)
  signal(SIGXFSZ, SIG_IGN)
  // Each subscriber and each HTTP client takes a descriptor.
  var limit = rlimit()
  if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}

/// Logs go to standard error; standard output is for what a command answers.
func makeLogger(_ role: String, level: Logger.Level) -> Logger {
  var logger = Logger(label: role) { LogLines(label: $0) }
  logger.logLevel = level
  return logger
}
