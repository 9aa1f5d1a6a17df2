import ArgumentParser
import Glibc
import Logging
import ServiceLifecycle

/// A command that runs services until a signal: `up`, `ingest`, `worker`, `feed` or `gateway`.
protocol ServiceCommand: AsyncParsableCommand {
  /// Reads and checks all settings, and opens the files that they name. Binds no address and opens no database.
  ///
  /// - Throws: `SettingError`.
  func prepare() async throws -> PreparedServices
}

extension ServiceCommand {
  func run() async throws { try await exitOnSettingError { try await prepare() }.run() }
}

/// Runs a body that reads settings. An invalid setting ends the command with EX_CONFIG of sysexits.h. A restart with
/// the same settings cannot succeed, so the systemd units do not restart the service.
func exitOnSettingError<Value>(_ body: () async throws -> Value) async throws -> Value {
  do { return try await body() } catch let error as SettingError {
    printError("Error: \(error)")
    throw ExitCode(EX_CONFIG)
  }
}

/// The services of a command, with checked settings.
struct PreparedServices {
  let settings: Settings
  /// The configurations of the services, for `doctor`.
  let plan: ServicePlan
  private let services: [any Service]
  private let keys: LinkKeys
  private let logger: Logger

  /// - Throws: `SettingError` if two settings have one address.
  init(_ services: [any Service], plan: ServicePlan, settings: Settings, keys: LinkKeys, logger: Logger) throws {
    try plan.checkListeningAddresses(settings)
    self.services = services
    self.plan = plan
    self.settings = settings
    self.keys = keys
    self.logger = logger
  }

  /// Logs the settings, and runs the services until a signal.
  func run() async throws {
    settings.log(to: logger)
    keys.announce(to: logger)
    try await runServices(services, settings: settings, logger: logger)
  }
}
