import ArgumentParser
import Ingest

struct IngestCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ingest", abstract: "Accept posts, hand out their look-ups, store what comes back.",
    discussion: """
      Workers and feeds on other hosts need keys (onthemap keys new --help). Reads the
      lists of keys again when it gets SIGHUP; a list with a mistake in it is refused,
      and the old one stays in use.

      Examples:
        onthemap ingest --data /var/lib/onthemap
        onthemap ingest --jobs tcp://10.0.0.1:7701 --changes tcp://10.0.0.1:7702 \\
          --key-file ingest.key --allow-workers workers.keys --allow-feeds feeds.keys
      """)

  @OptionGroup var options: IngestOptions
  @OptionGroup var common: CommonOptions

  func run() async throws {
    let settings = try await Settings(common)
    var keys = try options.keys(settings)
    let configuration = try options.configuration(settings, keys: &keys)
    try keys.check(
      isUsed: configuration.usesKeys, wanted: .allowProducers, .allowWorkers, .allowFeeds)
    let logger = makeLogger("ingest", level: settings.logLevel)
    settings.log(to: logger)
    keys.announce(to: logger)
    let service = IngestService(configuration, logger: logger) { addresses in
      say(
        "ready http=http://\(authority(configuration.host)):\(addresses.httpPort) jobs=\(addresses.jobs) "
          + "changes=\(addresses.changes) submit=\(addresses.submit)")
    }
    let reload = ReloadService { [keys] in keys.reload(logger: logger) }
    try await serve([service, reload], settings: settings, logger: logger)
  }
}
