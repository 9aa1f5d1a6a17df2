import ArgumentParser
import Domain
import Foundation
import HTTPClient
import LoadTest
import Messaging

struct LoadCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "load", abstract: "Load test: post at a fixed rate and verify that no post is lost or duplicated.",
    discussion: """
      Post i is due at start + i / rate, however the server responds (open loop).
      Latencies count from the due time. At the end, the command looks up each
      accepted post in the store, and compares the subscriber's list with the
      store's.

      Exit status 0 if the server accepted posts and broke no guarantee. Exit status
      1 if a post was lost, duplicated, not sent, not seen by the subscriber, left
      queued or without a response. Exit status 1 also if a subscriber's list
      differs from the store's, or if the test cannot run or read the store. Each
      reason is printed. Exit status 64 if an option is unknown, missing or out of
      range.

      Without --user, the test creates an account. The posts stay on the map: do not
      run the test against a server in use.

      Examples:
        onthemap load --rate 200 --duration 30
        onthemap load --submit tcp://127.0.0.1:7700 --rate 5000 --duration 30
        onthemap load --server http://10.0.0.1:8080 --feed tcp://10.0.0.2:7710 \\
          --rate 2000 --duration 60 --json
      """)

  @Option(.server, "Base URLs of ingest or its gateways, comma-separated. The connections share them.")
  var server: String?
  @Option(help: "Posts per second (\(LoadLimits.rateRange.words)).")
  var rate: Int
  @Option(help: "Duration in seconds (\(LoadLimits.secondsRange.words)).")
  var duration: Int
  @Option(help: "File of places, one per line. Default: cities of the gazetteer, in various spellings.")
  var places: String?
  @Option(.feed)
  var feed: String?
  @Option(.feedKey)
  var feedKey: String?
  @Option(.keyFile, "Your secret key file, if the server has an allowlist.")
  var keyFile: String?
  @Option(.user, "Email address of the account. The password comes from ONTHEMAP_PASSWORD.")
  var user: String?
  @Option(
    help: """
      Number of connections, 1 to \(LoadLimits.connectionsMax); with --submit 1 to \(LoadLimits.producersMax). \
      (default: \(LoadLimits.connectionsDefault); with --submit \(LoadLimits.producersDefault))
      """)
  var connections: Int?
  @Option(
    help: """
      Ingest's addresses for producers, comma-separated tcp://HOST:PORT. Posts over ZeroMQ; accounts and verification \
      use --server.
      """)
  var submit: String?
  @Option(.submitKey)
  var submitKey: String?
  @Option(
    help: "Maximum posts per frame with --submit, 1 to \(Limits.submitPostsMax). (default: \(LoadLimits.batchDefault))")
  var batch: Int?
  @Option(
    help: "Extra subscribers, which join at random times (\(LoadLimits.subscribersRange.words)). (default: 0)")
  var subscribers: Int?
  @Option(.gazetteer)
  var gazetteer: String?
  @Option(help: "Random seed, an integer. Repeats the places of an earlier run.")
  var seed: UInt64?
  @Flag(help: "Print the report as one JSON object.")
  var json = false
  @Option(
    help: """
      Timeout in seconds for retries of unanswered posts. The queue then has the same time to drain \
      (\(LoadLimits.drainTimeoutSecondsRange.words)). (default: \(LoadLimits.drainTimeoutSecondsDefault))
      """)
  var drainTimeout: Int?
  @OptionGroup var common: CommonOptions

  func validate() throws {
    try LoadCommand.check("--rate", rate, in: LoadLimits.rateRange)
    try LoadCommand.check("--duration", duration, in: LoadLimits.secondsRange)
    if let connections {
      let maximum = submit == nil ? LoadLimits.connectionsMax : LoadLimits.producersMax
      try LoadCommand.check("--connections", connections, in: 1...maximum)
    }
    if let batch {
      guard submit != nil else {
        throw ValidationError("--batch requires --submit. Over HTTP each request has one post.")
      }
      try LoadCommand.check("--batch", batch, in: 1...Limits.submitPostsMax)
    }
    if let subscribers { try LoadCommand.check("--subscribers", subscribers, in: LoadLimits.subscribersRange) }
    if let drainTimeout {
      try LoadCommand.check("--drain-timeout", drainTimeout, in: LoadLimits.drainTimeoutSecondsRange)
    }
    try LoadCommand.check("--rate × --duration", rate * duration, in: 1...LoadLimits.postsMax)
  }

  func run() async throws {
    do { try await test() } catch let error as LoadTestError { throw SettingError(error) }
  }

  private func test() async throws {
    let settings = try await Settings(common)
    let servers = try settings.servers(flag: server)
    if let other = servers.first(where: { $0.scheme != "http" }) {
      throw SettingError(
        .server, expected: "http URLs of ingest or its gateways, because TLS would distort the results",
        actual: other.absoluteString)
    }
    let feeds = try settings.endpoints(.feed, flag: feed)
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
        endpoints: try LoadCommand.endpoints($0, settings), curve: submitCurve,
        batchMax: batch ?? LoadLimits.batchDefault)
    }
    let connections = connections ?? (submit == nil ? LoadLimits.connectionsDefault : LoadLimits.producersDefault)
    let subscribers = subscribers ?? 0
    // Each subscriber has its own ZeroMQ context, which opens pipes.
    try LoadCommand.allowFiles(connections + LoadLimits.filesOfSubscriber * subscribers)
    let plan = LoadPlan(
      rate: rate, seconds: duration, run: hexadecimal(UInt64.random(in: 0...0xFFFF_FFFF), digits: 8),
      seed: seed ?? UInt64.random(in: 0...999_999), places: places)
    var api = API(servers[0])
    let token = try await account.token(api)
    api.token = token
    let summary = try await LoadRun(
      plan: plan, servers: servers, feeds: feeds, curve: curve, api: api, token: token, connections: connections,
      submit: submit, drainTimeoutSeconds: drainTimeout ?? LoadLimits.drainTimeoutSecondsDefault,
      subscribers: subscribers,
      logger: makeLogger("load", level: settings.logLevel), draw: LoadCommand.draw
    ).run()
    let report = LoadReport(summary: summary)
    printLine(json ? report.json : report.text)
    guard summary.failures.isEmpty else {
      if json { for failure in summary.failures { printError(failure) } }
      throw ExitCode(1)
    }
  }

  /// Draws a line over the previous one on standard error. Nil if standard error is not a terminal.
  private static var draw: (@Sendable (String) -> Void)? {
    let line = ProgressLine()
    return line.isShown ? { @Sendable text in line.draw(text) } : nil
  }

  private static func endpoints(_ text: String, _ settings: Settings) throws -> [Endpoint] {
    let endpoints = try settings.endpoints(in: text, "--submit", example: Setting.submit.defaultValue)
    if let wildcard = endpoints.first(where: { $0.description.hasSuffix("*") }) {
      throw SettingError("--submit must name a port, such as \(Setting.submit.defaultValue), not \"\(wildcard)\".")
    }
    return endpoints
  }

  private static func check(_ option: String, _ value: Int, in range: ClosedRange<Int>) throws {
    guard range.contains(value) else {
      throw ValidationError("\(option) must be a number from \(range.words), not \(value).")
    }
  }

  /// Raises the limit of open files, because each connection needs a file descriptor.
  ///
  /// - Throws: `SettingError` if the system permits fewer.
  private static func allowFiles(_ connections: Int) throws {
    let needed = rlim_t(connections) + LoadLimits.filesBeside
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    guard limit.rlim_cur < needed else { return }
    limit.rlim_cur = min(needed, limit.rlim_max)
    guard limit.rlim_cur == needed, setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
      throw SettingError(
        "--connections \(connections) needs \(needed) open files, but the limit is \(limit.rlim_max). "
          + "Raise it with ulimit -n.")
    }
  }
}
