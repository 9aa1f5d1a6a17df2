import ArgumentParser
import Domain
import Foundation
import Messaging
import Web
import Worker

struct WorkerCommand: ServiceCommand {
  static let configuration = CommandConfiguration(
    commandName: "worker", abstract: "Geocode places for ingest. Runs in any number of instances.",
    usage: "onthemap worker [<options>]",
    discussion: """
      SIGHUP reloads the gazetteer. The worker refuses a damaged file and keeps the
      current one. Connections between hosts need keys (onthemap keys new --help).
      Exit status 78 if a setting is invalid.

      Examples:
        onthemap worker
        onthemap worker --ingest tcp://10.0.0.1:7701 \\
          --key-file seattle.key --ingest-key ingest.pub
        onthemap worker --ingest tcp://10.0.0.1:7701,tcp://10.0.0.9:7701
      """)

  @Option(.workerIngest)
  var ingest: String?
  @Option(.gazetteer)
  var gazetteer: String?
  @Option(.concurrency)
  var concurrency: String?
  @Option(.workerName)
  var name: String?
  @Option(.workerOperations)
  var operations: String?
  @Option(.keyFile)
  var keyFile: String?
  @Option(.ingestKey)
  var ingestKey: String?
  @OptionGroup var remote: RemoteOptions
  @OptionGroup var common: CommonOptions

  func prepare() async throws -> PreparedServices {
    let settings = try await Settings(common)
    let logger = makeLogger("worker", level: settings.logLevel)
    let gazetteer = try LiveGazetteer(path: try settings.gazetteer(flag: gazetteer), logger: logger)
    var configuration = WorkerConfiguration(
      ingest: try settings.endpoints(.workerIngest, flag: ingest),
      gazetteer: gazetteer,
      concurrency: try settings.number(.concurrency, flag: concurrency, in: ToolLimits.concurrencyRange),
      name: try workerName(settings))
    configuration.remote = try remote.configuration(settings)
    let keys = try LinkKeys(settings, keyFile: keyFile)
    configuration.curve = try keys.client(.ingestKey, flag: ingestKey, needsOwn: true, settings: settings)
    try keys.check(isUsed: configuration.curve != nil, wanted: .ingestKey)
    let operations = try OperationsEndpoint(settings, .workerOperations, flag: operations, logger: logger)
    let joined = OneShot<Void>()
    let sessions = WorkerSessions(in: operations.readiness)
    let service = GeocodeWorker(
      configuration, logger: logger, ready: { joined.set(()) },
      session: { [name = configuration.name] in sessions.note(name, hasSession: $0) })
    // The process counts as started. Until the worker has a session, the check of sessions fails.
    operations.begin()
    let announcement = StartupAnnouncement(logger: logger) { [ingest = configuration.ingest] in
      try await joined.value
      printLine("ready ingest=\(ingest.map(\.description).joined(separator: ","))" + (try await operations.readyText))
    }
    let reload = ReloadService { gazetteer.reopen() }
    let plan = ServicePlan(worker: configuration, workers: 1, operations: operations.address, keys: keys)
    return try PreparedServices(
      operations.services + [service, reload, announcement], plan: plan, settings: settings, keys: keys,
      logger: logger)
  }

  private func workerName(_ settings: Settings) throws -> String {
    let (process, bytesMax) = (ProcessInfo.processInfo, Limits.peerNameBytesMax)
    let name = settings.text(
      .workerName, flag: name, default: String("\(process.hostName)-\(process.processIdentifier)".suffix(bytesMax)))
    guard (1...bytesMax).contains(name.utf8.count), name.isSafeLine else {
      throw SettingError(.workerName, expected: "1 to \(bytesMax) bytes without control characters", actual: name)
    }
    return name
  }
}
