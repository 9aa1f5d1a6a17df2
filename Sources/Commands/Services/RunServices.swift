import ArgumentParser
import Domain
import Foundation
import Ingest
import Logging
import ServiceLifecycle
import UnixSignals

/// Runs services until a signal. SIGTERM and SIGINT end the services gracefully, and forcibly after
/// `Limits.shutdownMs`. If a service fails, the others end too.
///
/// - Throws: `ExitCode` 74 for a failed store. For an unusable address, a `SettingError` that names the setting.
func runServices(_ services: [any Service], settings: Settings, logger: Logger) async throws {
  prepareProcess()
  func recorded(_ service: some Service) -> any Service { RecordedService(service) }
  var configuration = ServiceGroupConfiguration(
    services: services.map {
      .init(
        service: recorded($0), successTerminationBehavior: .gracefullyShutdownGroup,
        failureTerminationBehavior: .gracefullyShutdownGroup)
    }, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
  configuration.maximumGracefulShutdownDuration = .milliseconds(Limits.shutdownMs)
  do { try await ServiceGroup(configuration: configuration).run() } catch let error as StoreFailure {
    printError("Error: \(error)")
    throw ExitCode(EX_IOERR)
  } catch { throw settings.blame(error) }
}

/// Prepares the process of a long-running role.
private func prepareProcess() {
  // A lost peer, or a file that may not grow, must cause an error, not the end of the process.
  signal(SIGPIPE, SIG_IGN)
  signal(SIGXFSZ, SIG_IGN)
  preferThroughput()
  raiseDescriptorLimit()
}

/// Raises the limit of file descriptors as far as the system permits. Each subscriber and each HTTP client needs one.
func raiseDescriptorLimit() {
  var limit = rlimit()
  if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}

/// Selects SCHED_BATCH (sched(7)). A thread that wakes up then does not interrupt a running thread. It finds more work
/// when it runs, so there are fewer wake-ups for each post.
private func preferThroughput() {
  let batch: Int32 = 3
  var priority = sched_param()
  // Keep a policy that the operator has chosen.
  guard sched_getscheduler(0) == 0 else { return }
  // Later threads inherit the policy of these threads. If the system forbids the policy, the process works without it.
  for thread in (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? [] {
    sched_setscheduler(pid_t(thread) ?? 0, batch, &priority)
  }
}

/// The lowest level of loggers that a task creates. Nil does not raise the configured level.
enum LogFloor {
  @TaskLocal static var level: Logger.Level?
}

/// Returns a logger to standard error. Standard output is for the results of commands.
func makeLogger(_ role: String, level: Logger.Level) -> Logger {
  var logger = Logger(label: role) { LogLines(label: $0) }
  logger.logLevel = max(level, LogFloor.level ?? level)
  return logger
}
