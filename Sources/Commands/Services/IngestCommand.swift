import ArgumentParser
import Domain
import Ingest

struct IngestCommand: ServiceCommand {
  static let configuration = CommandConfiguration(
    commandName: "ingest", abstract: "Accept posts, dispatch geocoding jobs, store results.",
    discussion: """
      Connections between hosts need keys (onthemap keys new --help). SIGHUP reloads
      the allowlists. Ingest refuses an invalid list and keeps the current one.
      Exit status 74 if the store fails, 78 if a setting is invalid.

      Examples:
        onthemap ingest --data /var/lib/onthemap
        onthemap ingest --jobs tcp://10.0.0.1:7701 --changes tcp://10.0.0.1:7702 \\
          --key-file ingest.key --allow-workers workers.keys \\
          --allow-feeds feeds.keys
      """)

  @OptionGroup var options: IngestOptions
  @OptionGroup var common: CommonOptions

  func prepare() async throws -> PreparedServices {
    let settings = try await Settings(common)
    var keys = try options.keys(settings)
    var configuration = try options.configuration(settings, keys: &keys)
    try keys.apply(to: configuration.page.mapAccess)
    try keys.check(
      isUsed: configuration.usesKeys, wanted: .allowProducers, .allowWorkers, .allowFeeds,
      .allowGateways)
    let store = try options.store.selection(settings, data: configuration.data)
    let logger = makeLogger("ingest", level: settings.logLevel)
    let operations = try options.operations(settings, logger: logger)
    configuration.registry = operations.registry
    configuration.readiness = operations.readiness
    let ready = OneShot<IngestService.Addresses>()
    let service = IngestService(configuration, store: store, logger: logger) { ready.set($0) }
    let announcement = StartupAnnouncement(logger: logger) { [host = configuration.host] in
      let addresses = try await ready.value
      operations.begin()
      printLine(
        "ready http=http://\(authority(host)):\(addresses.httpPort) jobs=\(addresses.jobs) "
          + "changes=\(addresses.changes) submit=\(addresses.submit)"
          + (addresses.gateway.map { " gateways=\($0)" } ?? "") + (try await operations.readyText))
    }
    let reload = ReloadService { [keys] in keys.reload(logger: logger) }
    let plan = ServicePlan(ingest: configuration, store: store, operations: operations.address, keys: keys)
    return try PreparedServices(
      operations.services + [service, reload, announcement], plan: plan, settings: settings, keys: keys,
      logger: logger)
  }
}
