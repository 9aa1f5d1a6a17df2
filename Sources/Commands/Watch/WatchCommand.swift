import ArgumentParser
import Foundation
import Logging
import Messaging

struct WatchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch", abstract: "See the latest 100 posts, live.",
    discussion: """
      On a terminal a table that updates in place; in a pipe one line for each
      post, oldest first, with tabs between time, name, place and link. Ends on
      Ctrl-C. NO_COLOR is respected.

      Examples:
        onthemap watch
        onthemap watch --feed tcp://10.0.0.2:7710 | grep Seattle
        onthemap watch --json --count 1 | jq '.entries[].label'
      """)

  @Option(.feed, "The feed to subscribe to; several, with commas between them: the next one when one is gone.")
  var feed: String?
  @Option(.feedKey)
  var feedKey: String?
  @Option(.keyFile, "One's own secret key, a file, where the feed has a list.")
  var keyFile: String?
  @Flag(help: "One JSON object a line: kind is snapshot, delta, lost or stale.")
  var json = false
  @Option(help: "End after so many posts, or lines of JSON, were shown.")
  var count: Int?
  @OptionGroup var common: CommonOptions

  func validate() throws {
    guard count ?? 1 > 0 else { throw ValidationError("--count must be a number of 1 or more, not \(count ?? 0).") }
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
    let form: any WatchFormat =
      if json {
        WatchJSON(limit: limit)
      } else if isTable {
        WatchTable(
          feed: feeds.map(\.description).joined(separator: ", "), limit: limit,
          isColoured: environment["NO_COLOR"]?.isEmpty ?? true)
      } else {
        WatchLines(limit: limit)
      }
    // A log would tear the table.
    let logger =
      isTable ? Logger(label: "watch") { _ in SwiftLogNoOpLogHandler() } : makeLogger("watch", level: settings.logLevel)
    try await runServices(
      [WatchService(feeds: feeds, curve: curve, screen: screen, isTable: isTable, form: form, logger: logger)],
      settings: settings,
      logger: logger)
  }
}
