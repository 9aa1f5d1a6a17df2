import ArgumentParser
import Domain
import Glibc

struct ConfigCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config", abstract: "Check the settings of a service without starting it.",
    discussion: """
      Prints each setting with its value and its source, and masks secrets. Exit
      status 78 if a setting is invalid. Settings of a systemd unit need --config.

      Examples:
        onthemap config ingest --config /etc/onthemap/onthemap.env
        onthemap config up --data /srv/map
      """,
    subcommands: [
      ConfigServiceCommand<UpCommand>.self, ConfigServiceCommand<IngestCommand>.self,
      ConfigServiceCommand<WorkerCommand>.self, ConfigServiceCommand<FeedCommand>.self,
      ConfigServiceCommand<GatewayCommand>.self,
    ])
}

/// The check of one service's settings. It has all options of the service.
struct ConfigServiceCommand<Service: ServiceCommand>: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    let name = Service.configuration.commandName ?? ""
    return CommandConfiguration(
      commandName: name, abstract: "Check the settings of \(name) without starting it.",
      usage: "onthemap config \(name) [--json] [<options>]",
      discussion: """
        Has the options of onthemap \(name).

        Example:
          onthemap config \(name) --config /etc/onthemap/onthemap.env
        """)
  }

  @Flag(help: "Print one JSON object on one line.")
  var json = false
  @OptionGroup var service: Service

  func run() async throws {
    let settings: Settings
    do { settings = try await service.prepare().settings } catch {
      printError("Error: \(error)")
      throw ExitCode(EX_CONFIG)
    }
    if json { return printLine(ConfigText.json(settings.effective)) }
    for line in ConfigText.lines(settings.effective) { printLine(line) }
  }
}

/// The effective settings as text.
enum ConfigText {
  /// Returns a table for people.
  static func lines(_ values: [Settings.Value]) -> [String] {
    TextTable.lines([["SETTING", "VALUE", "SOURCE"]] + values.map { [$0.name, $0.text, $0.source.text] })
  }

  /// Returns an object for programs.
  static func json(_ values: [Settings.Value]) -> String {
    let object = JSONWriter.object { json in
      json.array("settings", values) { json, value in
        json.add("name", value.name)
        json.add("value", value.text)
        json.add("source", value.source.name)
        if case .file(let path) = value.source { json.add("file", path) }
      }
    }
    return WatchJSON.ascii(object.bytes)
  }
}

extension Settings.Source {
  /// Name for programs.
  fileprivate var name: String {
    switch self {
    case .flag: "flag"
    case .environment: "environment"
    case .file: "file"
    case .standard: "default"
    }
  }

  /// Text for people.
  fileprivate var text: String { if case .file(let path) = self { path } else { name } }
}
