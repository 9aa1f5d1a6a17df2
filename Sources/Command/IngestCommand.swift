import ArgumentParser
import Ingest

struct IngestCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ingest", abstract: "Accept posts, hand out their look-ups, store what comes back.",
    discussion: """
      Example:
        onthemap ingest --data /var/lib/onthemap \\
          --jobs tcp://10.0.0.1:7701 --changes tcp://10.0.0.1:7702
      """)

  @OptionGroup var options: IngestOptions
  @OptionGroup var common: CommonOptions

  func run() async throws {
    let settings = try await Settings(common)
    let configuration = try options.configuration(settings)
    let logger = makeLogger("ingest", level: settings.logLevel)
    settings.log(to: logger)
    let service = IngestService(configuration, logger: logger) { addresses in
      say(
        "ready http=http://\(authority(configuration.host)):\(addresses.httpPort) jobs=\(addresses.jobs) "
          + "changes=\(addresses.changes) submit=\(addresses.submit)")
    }
    try await serve([service], settings: settings, logger: logger)
  }
}
