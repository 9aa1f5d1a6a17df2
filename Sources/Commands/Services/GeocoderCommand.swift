import ArgumentParser
import Domain
import Foundation
import Web
import Worker

struct GeocoderCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "geocoder", abstract: "Look places up for an ingest; run as many as wanted.",
    discussion: """
      Takes a new gazetteer when it gets SIGHUP; one that is not whole is refused, and the
      old one stays in use. An ingest on another host wants keys (onthemap keys new
      --help).

      Examples:
        onthemap geocoder
        onthemap geocoder --ingest tcp://10.0.0.1:7701 \\
          --key-file seattle.key --ingest-key ingest.pub
      """)

  @Option(help: "Ingest's address for workers. [ONTHEMAP_GEOCODER_INGEST, default: tcp://127.0.0.1:7701]")
  var ingest: String?
  @Option(help: "The compiled gazetteer. [ONTHEMAP_GAZETTEER, default: gazetteer.otm beside the program]")
  var gazetteer: String?
  @Option(help: "Half of the jobs that may be here at once, 1 to 32. [ONTHEMAP_CONCURRENCY, default: 32]")
  var concurrency: String?
  @Option(help: "A name for people. [ONTHEMAP_WORKER_NAME, default: host and process number]")
  var name: String?
  @Option(
    help: """
      Address for /metrics, /livez and /readyz, HOST:PORT, or none. [ONTHEMAP_GEOCODER_OPERATIONS, \
      default: 127.0.0.1:9466]
      """)
  var operations: String?
  @Option(help: "The secret key of this process, a file. [ONTHEMAP_KEY_FILE]")
  var keyFile: String?
  @Option(help: "Ingest's public key, or a file with it; --ingest uses keys then. [ONTHEMAP_INGEST_KEY]")
  var ingestKey: String?
  @OptionGroup var remote: RemoteOptions
  @OptionGroup var common: CommonOptions

  func run() async throws {
    let settings = try await Settings(common)
    let logger = makeLogger("geocoder", level: settings.logLevel)
    let gazetteer = try LiveGazetteer(path: try settings.gazetteer(flag: gazetteer), logger: logger)
    var configuration = WorkerConfiguration(
      ingest: try settings.endpoint(.geocoderIngest, flag: ingest, default: "tcp://127.0.0.1:7701"),
      gazetteer: gazetteer,
      concurrency: try settings.number(.concurrency, flag: concurrency, default: 32, in: 1...32),
      name: try workerName(settings))
    configuration.remote = try remote.configuration(settings)
    let keys = try LinkKeys(settings, keyFile: keyFile)
    configuration.curve = try keys.client(.ingestKey, flag: ingestKey, needsOwn: true, settings: settings)
    try keys.check(isUsed: configuration.curve != nil, wanted: .ingestKey)
    let operations = try Operations(
      settings, .geocoderOperations, flag: operations, default: "127.0.0.1:9466", logger: logger)
    settings.log(to: logger)
    keys.announce(to: logger)
    let joined = OneShot<Void>()
    let seats = WorkerSeats(in: operations.readiness)
    let service = GeocodeWorker(
      configuration, logger: logger, ready: { joined.set(()) },
      session: { [name = configuration.name] in seats.note(name, hasSession: $0) })
    let announcement = Announcement { [ingest = configuration.ingest] in
      try await joined.value
      operations.begin()
      say("ready ingest=\(ingest)" + (try await operations.word))
    }
    let reload = ReloadService { gazetteer.reopen() }
    try await serve(operations.services + [service, reload, announcement], settings: settings, logger: logger)
  }

  private func workerName(_ settings: Settings) throws -> String {
    let (process, bytesMax) = (ProcessInfo.processInfo, Limits.peerNameBytesMax)
    let name = settings.text(
      .workerName, flag: name, default: String("\(process.hostName)-\(process.processIdentifier)".suffix(bytesMax)))
    guard (1...bytesMax).contains(name.utf8.count), name.isSafeLine else {
      throw SettingError(.workerName, expected: "1 to \(bytesMax) bytes without control characters", came: name)
    }
    return name
  }
}
