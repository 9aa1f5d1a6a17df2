import ArgumentParser
import Domain
import Foundation
import Glibc
import Logging

struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Find dangers for a service on this host, with remedies.",
    discussion: """
      Checks disk, database, libraries, limits, clock, keys, addresses and proxies
      for the settings of a service, and changes nothing. Exit status 1 if a check
      fails, 78 if a setting is invalid. Run it as the service's user.

      Examples:
        onthemap doctor up --data /srv/map
        onthemap doctor ingest --config /etc/onthemap/onthemap.env --json
        onthemap doctor --store postgresql://onthemap@db.example.org/onthemap
      """,
    subcommands: [
      DoctorServiceCommand<UpCommand>.self, DoctorServiceCommand<IngestCommand>.self,
      DoctorServiceCommand<WorkerCommand>.self, DoctorServiceCommand<FeedCommand>.self,
      DoctorServiceCommand<GatewayCommand>.self, DoctorStoreCommand.self,
    ], defaultSubcommand: DoctorStoreCommand.self)
}

/// The diagnosis of one service. It has all options of the service.
struct DoctorServiceCommand<Service: ServiceCommand>: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: name, abstract: "Find dangers for \(name) on this host, with remedies.",
      usage: "onthemap doctor \(name) [--json] [<options>]",
      discussion: """
        Has the options of onthemap \(name). Respects NO_COLOR.

        Example:
          onthemap doctor \(name) --config /etc/onthemap/onthemap.env
        """)
  }

  private static var name: String { Service.configuration.commandName ?? "" }

  @Flag(help: "Print one JSON object on one line.")
  var json = false
  @OptionGroup var service: Service

  func run() async throws {
    let prepared: PreparedServices
    // Log lines of the start would come between the checks.
    do { prepared = try await LogFloor.$level.withValue(.error, operation: { try await service.prepare() }) } catch {
      throw DoctorReport(service: Self.name, isJSON: json).refuse(error)
    }
    signal(SIGPIPE, SIG_IGN)
    let checks = await Diagnosis(prepared.plan, prepared.settings).run()
    try DoctorReport(service: Self.name, isJSON: json).print(checks)
  }
}

/// The diagnosis of ingest's store alone. It is the default, so that `doctor --store URL` works on each host.
struct DoctorStoreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store", abstract: "Find dangers for ingest's database in PostgreSQL, with remedies.",
    usage: "onthemap doctor [store] --store <url> [--json] [<options>]",
    discussion: """
      Reads the state of the server, and changes nothing. Respects NO_COLOR.

      Example:
        onthemap doctor --store postgresql://onthemap@db.example.org/onthemap
      """)

  private static let name = "store"

  @Flag(help: "Print one JSON object on one line.")
  var json = false
  @OptionGroup var store: StoreOptions
  @OptionGroup var common: CommonOptions

  func run() async throws {
    let report = DoctorReport(service: Self.name, isJSON: json)
    let selection: StoreSelection
    do {
      let settings = try await Settings(common)
      selection = try store.selection(settings, data: settings.text(.data, flag: nil))
    } catch {
      throw report.refuse(error)
    }
    guard case .postgres = selection else {
      // The bare command asks for help, as other commands with subcommands do.
      guard json || store.store != nil || common.config != nil || common.logLevel != nil else {
        throw CleanExit.helpRequest(DoctorCommand.self)
      }
      throw report.refuse(
        SettingError("\(Setting.store.title) is sqlite, which belongs to a service. Run: onthemap doctor ingest."))
    }
    signal(SIGPIPE, SIG_IGN)
    try report.print(await StoreChecks.run(selection))
  }
}

/// The output and the exit status of a diagnosis.
private struct DoctorReport {
  let service: String
  let isJSON: Bool

  /// Prints the results of all checks.
  ///
  /// - Throws: `ExitCode` if a check failed.
  func print(_ checks: [Check]) throws {
    if isJSON {
      printLine(DiagnosisText.json(service: service, checks))
    } else {
      let environment = ProcessInfo.processInfo.environment
      let isColoured = WatchScreen(environment: environment).isTerminal && environment["NO_COLOR"]?.isEmpty ?? true
      for line in DiagnosisText.lines(checks, isColoured: isColoured) { printLine(line) }
    }
    if checks.contains(where: { $0.verdict == .failure }) { throw ExitCode(1) }
  }

  /// Prints the error of an invalid setting. Returns the exit status.
  func refuse(_ error: any Error) -> ExitCode {
    printError("Error: \(error)")
    if isJSON {
      let check = Check.failure("settings", "\(error)", remedy: "Correct the setting")
      printLine(DiagnosisText.json(service: service, [check]))
    }
    return ExitCode(EX_CONFIG)
  }
}
