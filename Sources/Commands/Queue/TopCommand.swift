import ArgumentParser
import Domain
import Foundation
import Logging

struct TopCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "top", abstract: "Show ingest's queue, workers and rates, live.",
    usage: "onthemap top [<options>]",
    discussion: """
      On a terminal, updates a table every second until q or Ctrl-C. In a pipe,
      prints one line per second. Respects NO_COLOR.

      Examples:
        onthemap top
        onthemap top --data /var/lib/onthemap
        onthemap top --json --count 60 > minute.ndjson
      """)

  @Flag(help: "Print one JSON object per second, in the format of queue status.")
  var json = false
  @Option(help: "Number of samples before exit.")
  var count: Int?
  @OptionGroup var options: AdminOptions

  func validate() throws {
    guard count ?? 1 > 0 else { throw ValidationError("--count must be 1 or more, not \(count ?? 0).") }
  }

  func run() async throws {
    let settings = try await Settings(options.common)
    let endpoint = try options.endpoint(settings)
    let environment = ProcessInfo.processInfo.environment
    let screen = WatchScreen(environment: environment)
    let format: TopService.Format = json ? .json : screen.isTerminal ? .table : .lines
    // Log lines would break the table.
    let logger =
      format == .table
      ? Logger(label: "top") { _ in SwiftLogNoOpLogHandler() } : makeLogger("top", level: settings.logLevel)
    let service = TopService(
      endpoint: endpoint, connection: try AdminConnection(endpoint), screen: screen, format: format,
      isColoured: environment["NO_COLOR"]?.isEmpty ?? true, count: count ?? .max)
    try await runServices([service], settings: settings, logger: logger)
  }
}
