import ArgumentParser
import Feed

struct FeedCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "feed", abstract: "Tell subscribers the latest posts; run as many as wanted.",
    discussion: """
      Example:
        onthemap feed --ingest tcp://10.0.0.1:7702 --publish tcp://10.0.0.2:7710
      """)

  @Option(help: "Ingest's address for feeds. [ONTHEMAP_FEED_INGEST, default: tcp://127.0.0.1:7702]")
  var ingest: String?
  @Option(help: "Address for subscribers. [ONTHEMAP_PUBLISH, default: tcp://127.0.0.1:7710]")
  var publish: String?
  @Option(help: "Address for HTTP, HOST:PORT. [ONTHEMAP_FEED_HTTP, default: 127.0.0.1:8081]")
  var http: String?
  @OptionGroup var common: CommonOptions

  func run() async throws {
    let settings = try await Settings(common)
    let address = try settings.address(.feedHTTP, flag: http, default: "127.0.0.1:8081", name: "--http")
    let configuration = FeedConfiguration(
      ingest: try settings.endpoint(.feedIngest, flag: ingest, default: "tcp://127.0.0.1:7702"),
      publish: try settings.endpoint(.publish, flag: publish, default: "tcp://127.0.0.1:7710"), host: address.host,
      port: address.port)
    let logger = makeLogger("feed", level: settings.logLevel)
    settings.log(to: logger)
    let service = FeedService(configuration, logger: logger) { addresses in
      say("ready feed-http=http://\(authority(address.host)):\(addresses.httpPort) feed=\(addresses.publish)")
    }
    try await serve([service], settings: settings, logger: logger)
  }
}
