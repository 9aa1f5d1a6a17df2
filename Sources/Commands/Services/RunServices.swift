import ArgumentParser
import Domain
import Foundation
import Ingest
import Logging
import ServiceLifecycle
import UnixSignals

/// Runs services until a signal: SIGTERM and SIGINT end them gracefully, after 4 seconds at once. So does a service
/// that fails, for the others.
func runServices(_ services: [any Service], settings: Settings, logger: Logger) async throws {
  prepareProcess()
  var configuration = ServiceGroupConfiguration(
    services: services.map {
      .init(
        service: $0, successTerminationBehavior: .gracefullyShutdownGroup,
        failureTerminationBehavior: .gracefullyShutdownGroup)
    }, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
  configuration.maximumGracefulShutdownDuration = .milliseconds(Limits.shutdownMs)
  do { try await ServiceGroup(configuration: configuration).run() } catch let error as DiskFailure {
    printError("Error: \(error)")
    throw ExitCode(EX_IOERR)
  } catch { throw settings.blame(error) }
}

/// What every long-running role wants of its process.
private func prepareProcess() {
  // A peer that is gone, or a file that may not grow, is an error to be answered, not the end.
  signal(SIGPIPE, SIG_IGN)
  signal(SIGXFSZ, SIG_IGN)
  preferThroughput()
  // Each subscriber and each HTTP client takes a descriptor.
  var limit = rlimit()
  if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}

/// A thread that wakes up lets the others go on to their next wait, and so finds more to do at once: fewer
/// wake-ups for a post. (SCHED_BATCH, sched(7).)
private func preferThroughput() {
  let batch: Int32 = 3
  var priority = sched_param()
  // What the operator has chosen stays.
  guard sched_getscheduler(0) == 0 else { return }
  // Those that are there already; the others inherit it. Where it is forbidden, nothing is lost.
  for thread in (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? [] {
    sched_setscheduler(pid_t(thread) ?? 0, batch, &priority)
  }
}

/// Logs go to standard error; standard output is for what a command answers.
func makeLogger(_ role: String, level: Logger.Level) -> Logger {
  var logger = Logger(label: role) { LogLines(label: $0) }
  logger.logLevel = level
  return logger
}
