import ArgumentParser
import Domain
import Feed
import Messaging

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
      feed, query or both with a comma: other hosts may reach --publish, --query in plain text. \
      [ONTHEMAP_ALLOW_PLAINTEXT]
      """)
  var allowPlaintext: String?
  @OptionGroup var proxies: ProxyOptions
  @OptionGroup var viewing: ViewingOptions
  @OptionGroup var options: FeedOptions
  @OptionGroup var common: CommonOptions

  func run() async throws {
    let settings = try await Settings(common)
    let address = try settings.address(.feedHTTP, flag: http, default: "127.0.0.1:8081", name: "--http")
    let ingest = try settings.endpoint(.feedIngest, flag: ingest, default: "tcp://127.0.0.1:7702")
    var keys = try LinkKeys(settings, keyFile: keyFile, allowPlaintext: allowPlaintext, listens: true)
    var configuration = try options.configuration(settings, ingest: ingest, http: address, keys: &keys)
    configuration.proxies = try proxies.trusted(settings)
    configuration.isAlone = true
    configuration.viewing = try viewing.viewing(settings, needsKey: true)
    try keys.hold(to: configuration.viewing)
    let folder = settings.text(.feedData, flag: data, default: "data/feed")
    if folder != "none" { configuration.data = folder }
    configuration.ingestCurve = try keys.client(.ingestKey, flag: ingestKey, needsOwn: true, settings: settings)
    try keys.check(
      isUsed: configuration.ingestCurve != nil || configuration.publishCurve != nil, wanted: .ingestKey,
      .allowSubscribers)
    let logger = makeLogger("feed", level: settings.logLevel)
    let operations = try Operations(
      settings, .feedOperations, flag: operations, default: "127.0.0.1:9465", logger: logger)
    configuration.registry = operations.registry
    configuration.readiness = operations.readiness
    settings.log(to: logger)
    keys.announce(to: logger)
    let ready = OneShot<FeedService.Addresses>()
    let service = FeedService(configuration, logger: logger) { ready.set($0) }
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
