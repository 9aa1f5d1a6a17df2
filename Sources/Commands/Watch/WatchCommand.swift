import ArgumentParser
import Foundation
import Logging
import Messaging

struct WatchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch", abstract: "Show the latest 100 posts, live.",
    usage: "onthemap watch [<options>]",
    discussion: """
      On a terminal, updates a table in place. In a pipe, prints one line per post,
      oldest first: time, name, place and link, tab-separated. Ends on Ctrl-C.
      Respects NO_COLOR.

      Examples:
        onthemap watch
        onthemap watch --feed tcp://10.0.0.2:7710 | grep Seattle
        onthemap watch --feed tcp://10.0.0.2:7710,tcp://10.0.0.3:7710
        onthemap watch --json --count 1 | jq '.entries[].label'
      """)

  @Option(.feed)
  var feed: String?
  @Option(.feedKey)
  var feedKey: String?
  @Option(.keyFile, "Your secret key file, if the feed has an allowlist.")
  var keyFile: String?
  @Flag(help: "Print one JSON object per line. kind is snapshot, delta, resync or stale.")
  var json = false
  @Option(help: "Number of posts, or of JSON lines, before exit.")
  var count: Int?
  @OptionGroup var common: CommonOptions

  func validate() throws {
    guard count ?? 1 > 0 else { throw ValidationError("--count must be 1 or more, not \(count ?? 0).") }
  }

  func run() async throws {
    let settings = try await Settings(common)
    let feeds = try settings.endpoints(.feed, flag: feed)
    let keys = try LinkKeys(settings, keyFile: keyFile)
    let curve = try keys.client(.feedKey, flag: feedKey, needsOwn: false, settings: settings)
    try keys.check(isUsed: curve != nil, wanted: .feedKey)
    let environment = ProcessInfo.processInfo.environment
    let screen = WatchScreen(environment: environment)
    let isTable = screen.isTerminal && !json
    let limit = count ?? .max
    let format: any WatchFormat =
      if json {
        WatchJSON(limit: limit)
      } else if isTable {
        WatchTable(
          feed: feeds.map(\.description).joined(separator: ", "), limit: limit,
          isColoured: environment["NO_COLOR"]?.isEmpty ?? true)
      } else {
        WatchLines(limit: limit)
      }
    // Log lines would break the table.
    let logger =
      isTable ? Logger(label: "watch") { _ in SwiftLogNoOpLogHandler() } : makeLogger("watch", level: settings.logLevel)
    try await runServices(
      [WatchService(feeds: feeds, curve: curve, screen: screen, isTable: isTable, format: format, logger: logger)],
      settings: settings,
      logger: logger)
  }
}
