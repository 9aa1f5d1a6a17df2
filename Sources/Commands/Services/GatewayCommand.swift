import ArgumentParser
import Domain
import Foundation
import Ingest

struct GatewayCommand: ServiceCommand {
  static let configuration = CommandConfiguration(
    commandName: "gateway", abstract: "Serve ingest's HTTP on other hosts. Runs in any number of instances.",
    usage: "onthemap gateway [<options>]",
    discussion: """
      A gateway needs no other settings of the site: ingest has them. It holds
      requests for up to \(Limits.gatewayHoldMs / 1_000) s while ingest restarts. Connections between hosts
      need keys (onthemap keys new --help). Exit status 78 if a setting is invalid.

      Examples:
        onthemap ingest --gateways tcp://127.0.0.1:7703
        onthemap gateway --http 127.0.0.1:8090
        onthemap gateway --ingest tcp://10.0.0.1:7703 --http 0.0.0.0:8090 \\
          --key-file gateway.key --ingest-key ingest.pub
        onthemap gateway --feed tcp://127.0.0.1:7710
      """)

  @Option(.gatewayIngest)
  var ingest: String?
  @Option(.gatewayFeed)
  var feed: String?
  @Option(.gatewayHTTP)
  var http: String?
  @Option(.gatewayPasswordHashes)
  var passwordHashes: String?
  @Option(.gatewayOperations)
  var operations: String?
  @Option(.keyFile)
  var keyFile: String?
  @Option(.ingestKey)
  var ingestKey: String?
  @Option(.feedKey)
  var feedKey: String?
  @OptionGroup var proxies: ProxyOptions
  @OptionGroup var common: CommonOptions

  func prepare() async throws -> PreparedServices {
    let settings = try await Settings(common)
    let address = try settings.address(.gatewayHTTP, flag: http)
    let keys = try LinkKeys(settings, keyFile: keyFile)
    var configuration = GatewayConfiguration(
      ingest: try settings.endpoints(.gatewayIngest, flag: ingest), host: address.host, port: address.port)
    configuration.passwordHashesMax = try passwordHashesMax(settings)
    configuration.proxies = try proxies.trusted(settings)
    configuration.curve = try keys.client(.ingestKey, flag: ingestKey, needsOwn: true, settings: settings)
    if let feeds = settings.optional(.gatewayFeed, flag: feed) {
      configuration.feeds = try settings.endpoints(
        in: feeds, Setting.gatewayFeed.title, example: Setting.gatewayFeed.example)
      configuration.feedCurve = try keys.client(.feedKey, flag: feedKey, needsOwn: false, settings: settings)
    } else if feedKey != nil {
      // Ignore the environment and the file: `watch` may share them.
      throw SettingError(
        "\(Setting.feedKey.title) is set, but no link uses it. Set \(Setting.gatewayFeed.title) too.")
    }
    try keys.check(
      isUsed: configuration.curve != nil || configuration.feedCurve != nil, wanted: .ingestKey, .feedKey)
    let logger = makeLogger("gateway", level: settings.logLevel)
    let operations = try OperationsEndpoint(settings, .gatewayOperations, flag: operations, logger: logger)
    configuration.registry = operations.registry
    configuration.readiness = operations.readiness
    let httpPort = OneShot<Int>()
    // The process counts as started once HTTP listens. Until the link is connected, the check of ingest fails.
    let service = GatewayService(configuration, logger: logger) {
      httpPort.set($0)
      operations.begin()
    }
    let announcement = StartupAnnouncement(logger: logger) {
      printLine(
        "ready http=http://\(authority(address.host)):\(try await httpPort.value)" + (try await operations.readyText))
    }
    let reload = ReloadService { [keys] in keys.reload(logger: logger) }
    let plan = ServicePlan(gateway: configuration, operations: operations.address, keys: keys)
    return try PreparedServices(
      operations.services + [service, reload, announcement], plan: plan, settings: settings, keys: keys, logger: logger)
  }

  private func passwordHashesMax(_ settings: Settings) throws -> Int {
    let usual = min(ProcessInfo.processInfo.activeProcessorCount, Limits.concurrentPasswordHashesMax)
    return try settings.number(
      .gatewayPasswordHashes, flag: passwordHashes, default: "\(usual)", in: Limits.gatewayPasswordHashesRange)
  }
}
