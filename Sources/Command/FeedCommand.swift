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
  @Option(help: "Address for questions. [ONTHEMAP_QUERY, default: one port above --publish]")
  var query: String?
  @Option(
    help: """
      Other feeds of the same ingest, tcp://HOST:PORT with commas between them: where subscribers are sent when this \
      one is stopped. [ONTHEMAP_ALTERNATES]
      """)
  var alternates: String?
  @Option(
    help: """
      A folder for the last list, which is told, as stale, when ingest is away at the start; or none. \
      [ONTHEMAP_FEED_DATA, default: data/feed]
      """)
  var data: String?
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
      Subscribers' public keys, a file, or the word anyone; --publish and --query use keys then. \
      [ONTHEMAP_ALLOW_SUBSCRIBERS]
      """)
  var allowSubscribers: String?
  @Option(
    help: """
      feed, query or both with a comma: other hosts may reach --publish, --query in plain text. \
      [ONTHEMAP_ALLOW_PLAINTEXT]
      """)
  var allowPlaintext: String?
  @OptionGroup var common: CommonOptions

  func run() async throws {
    let settings = try await Settings(common)
    let address = try settings.address(.feedHTTP, flag: http, default: "127.0.0.1:8081", name: "--http")
    let publish = try settings.endpoint(.publish, flag: publish, default: "tcp://127.0.0.1:7710")
    var configuration = FeedConfiguration(
      ingest: try settings.endpoint(.feedIngest, flag: ingest, default: "tcp://127.0.0.1:7702"), publish: publish,
      query: try settings.query(flag: query, publish: publish), host: address.host, port: address.port)
    configuration.isAlone = true
    configuration.alternates = try settings.alternates(flag: alternates)
    configuration.data = settings.feedData(flag: data, default: "data/feed")
    var keys = try LinkKeys(settings, keyFile: keyFile, allowPlaintext: allowPlaintext, listens: true)
    configuration.ingestCurve = try keys.client(.ingestKey, flag: ingestKey, needsOwn: true, settings: settings)
    configuration.publishCurve = try keys.server(
      .feed, at: configuration.publish, .publish, list: .allowSubscribers, flag: allowSubscribers, admitsItself: false,
      settings: settings)
    configuration.queryCurve = try keys.server(
      .query, at: configuration.query, .query, list: .allowSubscribers, flag: allowSubscribers, admitsItself: false,
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
        "ready feed-http=http://\(authority(address.host)):\(addresses.httpPort) feed=\(addresses.publish) "
          + "query=\(addresses.query)"
          + (try await operations.word))
    }
    let reload = ReloadService { [keys] in keys.reload(logger: logger) }
    try await serve(operations.services + [service, reload, announcement], settings: settings, logger: logger)
  }
}
