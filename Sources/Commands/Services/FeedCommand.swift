import ArgumentParser
import Domain
import Feed
import Messaging

struct FeedCommand: ServiceCommand {
  static let configuration = CommandConfiguration(
    commandName: "feed", abstract: "Publish the latest posts to subscribers. Runs in any number of instances.",
    discussion: """
      Connections between hosts need keys (onthemap keys new --help). SIGHUP reloads
      the allowlist. The feed refuses an invalid list and keeps the current one.
      Exit status 78 if a setting is invalid.

      Examples:
        onthemap feed
        onthemap feed --ingest tcp://10.0.0.1:7702 --publish tcp://10.0.0.2:7710 \\
          --key-file feed.key --ingest-key ingest.pub --allow-subscribers anyone
        onthemap feed --ingest tcp://10.0.0.1:7702,tcp://10.0.0.9:7702
      """)

  @Option(.feedIngest)
  var ingest: String?
  @Option(.feedData)
  var data: String?
  @Option(.feedHTTP, "HTTP address, HOST:PORT.", name: "--http")
  var http: String?
  @Option(.feedOperations)
  var operations: String?
  @Option(.keyFile)
  var keyFile: String?
  @Option(.ingestKey)
  var ingestKey: String?
  @Option(.allowPlaintext, "Links allowed without encryption on non-loopback addresses, comma-separated: feed, query.")
  var allowPlaintext: String?
  @OptionGroup var proxies: ProxyOptions
  @OptionGroup var mapAccess: MapAccessOptions
  @OptionGroup var options: FeedOptions
  @OptionGroup var common: CommonOptions

  func prepare() async throws -> PreparedServices {
    let settings = try await Settings(common)
    let address = try settings.address(.feedHTTP, flag: http, name: "--http")
    let ingest = try settings.endpoints(.feedIngest, flag: ingest)
    var keys = try LinkKeys(settings, keyFile: keyFile, allowPlaintext: allowPlaintext, listens: true)
    var configuration = try options.configuration(settings, ingest: ingest, http: address, keys: &keys)
    configuration.proxies = try proxies.trusted(settings)
    configuration.isAlone = true
    configuration.mapAccess = try mapAccess.mapAccess(settings, needsSecret: true)
    try keys.apply(to: configuration.mapAccess)
    let folder = settings.text(.feedData, flag: data)
    if folder != "none" { configuration.data = folder }
    configuration.ingestCurve = try keys.client(.ingestKey, flag: ingestKey, needsOwn: true, settings: settings)
    try keys.check(
      isUsed: configuration.ingestCurve != nil || configuration.publishCurve != nil, wanted: .ingestKey,
      .allowSubscribers)
    let logger = makeLogger("feed", level: settings.logLevel)
    let operations = try OperationsEndpoint(settings, .feedOperations, flag: operations, logger: logger)
    configuration.registry = operations.registry
    configuration.readiness = operations.readiness
    let ready = OneShot<FeedService.Addresses>()
    // The process counts as started once the feed listens. Until its first list arrives, the check of the list fails.
    let service = FeedService(
      configuration, logger: logger, ready: { ready.set($0) }, listening: { operations.begin() })
    let announcement = StartupAnnouncement(logger: logger) {
      let addresses = try await ready.value
      printLine(
        "ready feed-http=http://\(authority(address.host)):\(addresses.httpPort) feed=\(addresses.publish) "
          + "query=\(addresses.query)"
          + (try await operations.readyText))
    }
    let reload = ReloadService { [keys] in keys.reload(logger: logger) }
    let plan = ServicePlan(feed: configuration, operations: operations.address, keys: keys)
    return try PreparedServices(
      operations.services + [service, reload, announcement], plan: plan, settings: settings, keys: keys,
      logger: logger)
  }
}
