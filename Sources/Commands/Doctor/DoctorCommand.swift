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
      """,
    subcommands: [
      DoctorServiceCommand<UpCommand>.self, DoctorServiceCommand<IngestCommand>.self,
      DoctorServiceCommand<WorkerCommand>.self, DoctorServiceCommand<FeedCommand>.self,
      DoctorServiceCommand<GatewayCommand>.self,
    ])
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
      printError("Error: \(error)")
      if json {
        let check = Check.failure("settings", "\(error)", remedy: "Correct the setting")
        printLine(DiagnosisText.json(service: Self.name, [check]))
      }
      throw ExitCode(EX_CONFIG)
    }
    signal(SIGPIPE, SIG_IGN)
    let checks = await Diagnosis(prepared.plan, prepared.settings).run()
    if json {
      printLine(DiagnosisText.json(service: Self.name, checks))
    } else {
      let environment = ProcessInfo.processInfo.environment
      let isColoured = WatchScreen(environment: environment).isTerminal && environment["NO_COLOR"]?.isEmpty ?? true
      for line in DiagnosisText.lines(checks, isColoured: isColoured) { printLine(line) }
    }
    if checks.contains(where: { $0.verdict == .failure }) { throw ExitCode(1) }
  }
}
