import ArgumentParser
import Domain
import Foundation
import HTTPClient
import LoadTest
import Messaging

struct LoadCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "load", abstract: "Post at a fixed rate, and check that nothing is lost, doubled or late.",
    discussion: """
      Post number i is due at start + i / rate, whatever the server does (an open
      loop), and all times are counted from then. Afterwards each accepted post is
      looked for in the store, and the list that a subscriber ended with is compared
      with the store's. Exits with 0 when nothing was lost, nothing doubled, nothing
      left queued, and the lists are equal; else with 1.

      Without --user an account is made for the run. Posts stay on the map: do not
      aim this at a server that people use.

      Examples:
        onthemap load --rate 200 --duration 30
        onthemap load --submit tcp://127.0.0.1:7700 --rate 5000 --duration 30
        onthemap load --server http://10.0.0.1:8080 --feed tcp://10.0.0.2:7710 \\
          --rate 2000 --duration 60 --json
      """)

  @Option(.server)
  var server: String?
  @Option(help: "Posts in a second, \(LoadLimits.rateRange.words).")
  var rate: Int
  @Option(help: "Seconds in which posts become due, \(LoadLimits.secondsRange.words).")
  var duration: Int
  @Option(help: "A file of places, one a line. Without it, towns of the gazetteer in mixed forms.")
  var places: String?
  @Option(.feed)
  var feed: String?
  @Option(.feedKey)
  var feedKey: String?
  @Option(.keyFile, "One's own secret key, a file, where the other end has a list.")
  var keyFile: String?
  @Option(.user, "An e-mail address; the password comes from ONTHEMAP_PASSWORD.")
  var user: String?
  @Option(
    help: """
      Connections that share the posts, 1 to \(LoadLimits.connectionsMax); with --submit 1 to \
      \(LoadLimits.producersMax). [default: \(LoadLimits.connectionsDefault); with --submit \(LoadLimits.producersDefault)]
      """)
  var connections: Int?
  @Option(help: "Post over ZeroMQ, to ingest's address for producers; accounts and the store stay with --server.")
  var submit: String?
  @Option(.submitKey)
  var submitKey: String?
  @Option(
    help: """
      Posts in one frame at most, with --submit, 1 to \(Limits.submitPostsMax). [default: \(LoadLimits.batchDefault)]
      """)
  var batch: Int?
  @Option(
    help: """
      Subscribers beside the run's own, that come at random moments of it, \(LoadLimits.subscribersRange.words).
      """)
  var subscribers = 0
  @Option(.gazetteer)
  var gazetteer: String?
  @Option(help: "Repeats the places of a run: any whole number.")
  var seed: UInt64?
  @Flag(help: "The figures as one JSON object.")
  var json = false
  @Option(
    help: "Seconds to go on trying, and then to wait for queued posts, \(LoadLimits.settleSecondsRange.words).")
  var settle = LoadLimits.settleSecondsDefault
  @OptionGroup var common: CommonOptions

  func validate() throws {
    try LoadCommand.check("--rate", rate, in: LoadLimits.rateRange)
    try LoadCommand.check("--duration", duration, in: LoadLimits.secondsRange)
    if let connections {
      let most = submit == nil ? LoadLimits.connectionsMax : LoadLimits.producersMax
      try LoadCommand.check("--connections", connections, in: 1...most)
    }
    if let batch {
      guard submit != nil else {
        throw ValidationError("--batch is for --submit only: over HTTP each post is a request.")
      }
      try LoadCommand.check("--batch", batch, in: 1...Limits.submitPostsMax)
    }
    try LoadCommand.check("--subscribers", subscribers, in: LoadLimits.subscribersRange)
    try LoadCommand.check("--settle", settle, in: LoadLimits.settleSecondsRange)
    try LoadCommand.check("--rate × --duration", rate * duration, in: 1...LoadLimits.postsMax)
  }

  func run() async throws {
    do { try await test() } catch let error as LoadTestError { throw SettingError(error) }
  }

  private func test() async throws {
    let settings = try await Settings(common)
    let server = try settings.server(flag: server)
    guard server.scheme == "http" else {
      throw SettingError(
        .server, expected: "a plain http address, of the service itself: TLS would be measured with it",
        actual: server.absoluteString)
    }
    let feed = try settings.endpoint(.feed, flag: feed)
    let keys = try LinkKeys(settings, keyFile: keyFile)
    let curve = try keys.client(.feedKey, flag: feedKey, needsOwn: false, settings: settings)
    let submitCurve = try keys.client(.submitKey, flag: submitKey, needsOwn: false, settings: settings)
    try keys.check(isUsed: curve != nil || submitCurve != nil, wanted: .feedKey, .submitKey)
    let account = try RunAccount(settings, user: user)
    let places =
      try places.map { try PlaceTexts(file: $0) }
      ?? PlaceTexts(gazetteer: try settings.gazetteer(flag: gazetteer))
    let submit = try submit.map {
      LoadRun.Submission(
        endpoint: try LoadCommand.endpoint($0), curve: submitCurve, batchMax: batch ?? LoadLimits.batchDefault)
    }
    let connections = connections ?? (submit == nil ? LoadLimits.connectionsDefault : LoadLimits.producersDefault)
    // Each subscriber has a context of its own, with its pipes.
    try LoadCommand.allowFiles(connections + LoadLimits.filesOfSubscriber * subscribers)
    let plan = LoadPlan(
      rate: rate, seconds: duration, run: hexadecimal(UInt64.random(in: 0...0xFFFF_FFFF), digits: 8),
      seed: seed ?? UInt64.random(in: 0...999_999), places: places)
    var api = API(server)
    let token = try await account.token(api)
    api.token = token
    let summary = try await LoadRun(
      plan: plan, server: server, feed: feed, curve: curve, api: api, token: token, connections: connections,
      submit: submit, settleSeconds: settle, subscribers: subscribers,
      logger: makeLogger("load", level: settings.logLevel), draw: LoadCommand.draw
    ).run()
    let report = LoadReport(summary: summary)
    printLine(json ? report.json : report.text)
    guard summary.failures.isEmpty else {
      if json { for failure in summary.failures { printError(failure) } }
      throw ExitCode(1)
    }
  }

  /// Draws a line over the one before it on standard error; nil where that is no terminal.
  private static var draw: (@Sendable (String) -> Void)? {
    let line = ProgressLine()
    return line.isShown ? { @Sendable text in line.draw(text) } : nil
  }

  private static func endpoint(_ text: String) throws -> Endpoint {
    guard let endpoint = try? Endpoint(text), !text.hasSuffix("*") else {
      throw SettingError(
        "--submit must be tcp://HOST:PORT or ipc://PATH, such as tcp://127.0.0.1:7700, not \"\(text)\".")
    }
    return endpoint
  }

  private static func check(_ option: String, _ value: Int, in range: ClosedRange<Int>) throws {
    guard range.contains(value) else {
      throw ValidationError("\(option) must be a number from \(range.words), not \(value).")
    }
  }

  /// Each connection is a file to the system. Throws `SettingError` when it does not allow so many.
  private static func allowFiles(_ connections: Int) throws {
    let needed = rlim_t(connections) + LoadLimits.filesBeside
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    guard limit.rlim_cur < needed else { return }
    limit.rlim_cur = min(needed, limit.rlim_max)
    guard limit.rlim_cur == needed, setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
      throw SettingError(
        "--connections \(connections) needs \(needed) open files, and the system allows \(limit.rlim_max): "
          + "see ulimit -n.")
    }
  }
}
