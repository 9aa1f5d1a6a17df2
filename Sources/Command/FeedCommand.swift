import ArgumentParser
import Feed
import Link

struct FeedCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "feed", abstract: "Tell subscribers the latest posts; run as many as wanted.",
    discussion: """
      Ingest and subscribers on other hosts need keys (onthemap keys new --help). Reads
      the list of keys again when it gets SIGHUP; a list with a mistake in it is
      refused, and the old one stays in use.

      Examples:
        onthemap feed
        onthemap feed --ingest tcp://10.0.0.1:7702 --publish tcp://10.0.0.2:7710 \\
          --key-file feed.key --ingest-key ingest.pub --allow-subscribers anyone
      """)

  @Option(help: "Ingest's address for feeds. [ONTHEMAP_FEED_INGEST, default: tcp://127.0.0.1:7702]")
  var ingest: String?
  @Option(help: "Address for subscribers. [ONTHEMAP_PUBLISH, default: tcp://127.0.0.1:7710]")
  var publish: String?
  @Option(help: "Address for HTTP, HOST:PORT. [ONTHEMAP_FEED_HTTP, default: 127.0.0.1:8081]")
  var http: String?
  @Option(
    help: """
      Address for /metrics, /livez and /readyz, HOST:PORT, or none. [ONTHEMAP_FEED_OPERATIONS, default: 127.0.0.1:9465]
      """)
  var operations: String?
  @Option(help: "The secret key of this process, a file. [ONTHEMAP_KEY_FILE]")
  var keyFile: String?
  @Option(help: "Ingest's public key, or a file with it; --ingest uses keys then. [ONTHEMAP_INGEST_KEY]")
  var ingestKey: String?
  @Option(
    help: """
      Subscribers' public keys, a file, or the word anyone; --publish uses keys then. [ONTHEMAP_ALLOW_SUBSCRIBERS]
      """)
  var allowSubscribers: String?
  @Option(help: "The word feed: other hosts may reach --publish in plain text. [ONTHEMAP_ALLOW_PLAINTEXT]")
  var allowPlaintext: String?
  @OptionGroup var common: CommonOptions

  func run() async throws {
    let settings = try await Settings(common)
    let address = try settings.address(.feedHTTP, flag: http, default: "127.0.0.1:8081", name: "--http")
    var configuration = FeedConfiguration(
      ingest: try settings.endpoint(.feedIngest, flag: ingest, default: "tcp://127.0.0.1:7702"),
      publish: try settings.endpoint(.publish, flag: publish, default: "tcp://127.0.0.1:7710"), host: address.host,
      port: address.port)
    var keys = try LinkKeys(settings, keyFile: keyFile, allowPlaintext: allowPlaintext, listens: true)
    configuration.ingestCurve = try keys.client(.ingestKey, flag: ingestKey, needsOwn: true, settings: settings)
    configuration.publishCurve = try keys.server(
      .feed, at: configuration.publish, .publish, list: .allowSubscribers, flag: allowSubscribers, admitsItself: false,
      settings: settings)
    try keys.check(
      isUsed: configuration.ingestCurve != nil || configuration.publishCurve != nil, wanted: .ingestKey,
      .allowSubscribers)
    let logger = makeLogger("feed", level: settings.logLevel)
    let operations = try Operations(
      settings, .feedOperations, flag: operations, default: "127.0.0.1:9465", logger: logger)
    configuration.registry = operations.registry
    settings.log(to: logger)
    keys.announce(to: logger)
    let ready = Told<FeedService.Addresses>()
    let service = FeedService(configuration, logger: logger) { ready.tell($0) }
    let announcement = Announcement {
      let addresses = try await ready.value
      operations.begin()
      say(
        "ready feed-http=http://\(authority(address.host)):\(addresses.httpPort) feed=\(addresses.publish)"
          + (try await operations.word))
    }
    let reload = ReloadService { [keys] in keys.reload(logger: logger) }
    try await serve(operations.services + [service, reload, announcement], settings: settings, logger: logger)
  }
}
