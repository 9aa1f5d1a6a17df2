import ArgumentParser
import Domain
import Ingest
import Logging
import Messaging

/// Options of ingest, alone and within `up`.
struct IngestOptions: ParsableArguments {
  @Option(help: "Folder of the database. [ONTHEMAP_DATA, default: ./data]")
  var data: String?
  @Option(help: "Ingest's address for HTTP, HOST:PORT. [ONTHEMAP_HTTP, default: 127.0.0.1:8080]")
  var http: String?
  @Option(help: "Address for workers. [ONTHEMAP_JOBS, default: tcp://127.0.0.1:7701]")
  var jobs: String?
  @Option(help: "Address for feeds. [ONTHEMAP_CHANGES, default: tcp://127.0.0.1:7702]")
  var changes: String?
  @Option(help: "Address for queue and top, ipc or loopback. [ONTHEMAP_ADMIN, default: ipc://DATA/admin.sock]")
  var admin: String?
  @Option(help: "Address for producers. [ONTHEMAP_SUBMIT, default: tcp://127.0.0.1:7700]")
  var submit: String?
  @Option(
    help: """
      Address for /metrics, /livez and /readyz, HOST:PORT, or none. [ONTHEMAP_OPERATIONS, default: 127.0.0.1:9464]
      """)
  var operations: String?
  @Option(help: "What people open; https:// makes cookies secure. [ONTHEMAP_ORIGIN]")
  var origin: String?
  @OptionGroup var proxies: ProxyOptions
  @Option(
    help: """
      Origins of other sites whose pages may use the API with a token, with commas: https://app.example.org. \
      [ONTHEMAP_CORS_ORIGINS]
      """)
  var corsOrigins: String?
  @Option(help: "Who makes accounts: open for anybody, closed for onthemap user. [ONTHEMAP_SIGN_UP, default: open]")
  var signUp: String?
  @OptionGroup var providers: ProviderOptions
  @OptionGroup var page: PageOptions
  @OptionGroup var viewing: ViewingOptions
  @Option(
    help: "Requests a second to remote providers, of all workers, 0.01 to 100. [ONTHEMAP_REMOTE_RATE, default: 1]")
  var remoteRate: String?
  @Option(
    help: """
      Seconds, 1 to 604800; while a post waits so long for a geocoder, no more are taken. \
      [ONTHEMAP_QUEUE_WAIT_MAX, default: 600]
      """)
  var queueWaitMax: String?

  @Option(
    help: """
      Posts and edits of one account a minute, 1 to 1000000. [ONTHEMAP_POSTS_PER_MINUTE, default: as many as it can]
      """)
  var postsPerMinute: String?

  @Option(help: "The secret key of this process, a file. [ONTHEMAP_KEY_FILE]")
  var keyFile: String?
  @Option(help: "Workers' public keys, a file, or the word anyone; --jobs uses keys then. [ONTHEMAP_ALLOW_WORKERS]")
  var allowWorkers: String?
  @Option(help: "Feeds' public keys, a file, or the word anyone; --changes uses keys then. [ONTHEMAP_ALLOW_FEEDS]")
  var allowFeeds: String?
  @Option(
    help: """
      Producers' public keys, a file, or the word anyone; --submit uses keys then. [ONTHEMAP_ALLOW_PRODUCERS]
      """)
  var allowProducers: String?
  @Option(
    help: """
      Links that other hosts may reach in plain text: submit, jobs, changes; of up also feed, query; with commas. \
      [ONTHEMAP_ALLOW_PLAINTEXT]
      """)
  var allowPlaintext: String?

  /// The process's keys; `configuration` adds the lists of ingest's links. Throws `SettingError`.
  func keys(_ settings: Settings) throws -> LinkKeys {
    try LinkKeys(settings, keyFile: keyFile, allowPlaintext: allowPlaintext, listens: true)
  }

  /// Where the process is asked about itself. Throws `SettingError`.
  func operations(_ settings: Settings, logger: Logger) throws -> Operations {
    try Operations(
      settings, .operations, flag: operations, default: "127.0.0.1:9464", logger: logger)
  }

  /// Throws `SettingError` with what is wrong.
  ///
  /// - Parameter isAll: whether workers and feed are in this process too.
  func configuration(_ settings: Settings, keys: inout LinkKeys, isAll: Bool = false) throws -> IngestConfiguration {
    let address = try settings.address(.http, flag: http, default: "127.0.0.1:8080")
    let origin = settings.text(.origin, flag: origin, default: "")
    guard origin.isEmpty || IngestOptions.isOrigin(origin) else {
      throw SettingError(
        .origin, expected: "the address that people open, without a path, such as https://example.org", came: origin)
    }
    let data = settings.text(.data, flag: data, default: "./data")
    guard !data.isEmpty else { throw SettingError(.data, expected: "a folder such as ./data", came: data) }
    let rate = settings.text(.remoteRate, flag: remoteRate, default: "1")
    guard let perSecond = Double(rate), Limits.remotePerSecondRange.contains(perSecond) else {
      throw SettingError(.remoteRate, expected: "a number from 0.01 to 100, of requests a second", came: rate)
    }
    var configuration = IngestConfiguration(
      data: data, host: address.host, port: address.port,
      jobs: try settings.endpoint(.jobs, flag: jobs, default: "tcp://127.0.0.1:7701"),
      changes: try settings.endpoint(.changes, flag: changes, default: "tcp://127.0.0.1:7702"),
      submit: try settings.endpoint(.submit, flag: submit, default: "tcp://127.0.0.1:7700"), origin: origin)
    configuration.proxies = try proxies.trusted(settings)
    configuration.partners = try partners(settings)
    let signUp = settings.text(.signUp, flag: signUp, default: "open")
    guard ["open", "closed"].contains(signUp) else {
      throw SettingError(.signUp, expected: "open or closed", came: signUp)
    }
    configuration.isSignUpOpen = signUp == "open"
    try providers.set(&configuration, settings)
    configuration.page = try page.configuration(settings)
    configuration.page.viewing = try viewing.viewing(settings, isAll: isAll)
    configuration.remotePerSecond = perSecond
    configuration.queueWaitMaxMs = try waitMaxMs(settings)
    configuration.postsPerMinute = try perMinute(settings)
    configuration.submitCurve = try keys.server(
      .submit, at: configuration.submit, .submit, list: .allowProducers, flag: allowProducers, admitsItself: false,
      settings: settings)
    configuration.jobsCurve = try keys.server(
      .jobs, at: configuration.jobs, .jobs, list: .allowWorkers, flag: allowWorkers, admitsItself: isAll,
      settings: settings)
    configuration.changesCurve = try keys.server(
      .changes, at: configuration.changes, .changes, list: .allowFeeds, flag: allowFeeds, admitsItself: isAll,
      settings: settings)
    configuration.admin = try settings.admin(flag: admin, data: data)
    return configuration
  }

  private func partners(_ settings: Settings) throws -> Set<String> {
    let text = settings.text(.corsOrigins, flag: corsOrigins, default: "")
    return Set(
      try text.split(separator: ",").map { part in
        let origin = String(part).trimmedLine
        guard IngestOptions.isOrigin(origin) else {
          throw SettingError(
            .corsOrigins, expected: "origins without a path, such as https://app.example.org", came: origin)
        }
        return origin
      })
  }

  /// What a browser sends as Origin, to be compared with it: no path, not even a slash.
  static func isOrigin(_ text: String) -> Bool { text.wholeMatch(of: #/https?:\/\/[^\/?#@\s]+/#) != nil }

  private func perMinute(_ settings: Settings) throws -> Int? {
    let text = settings.text(.postsPerMinute, flag: postsPerMinute, default: "")
    guard !text.isEmpty else { return nil }
    let range = Limits.postsPerMinuteRange
    guard let posts = Int(text), range.contains(posts) else {
      throw SettingError(
        .postsPerMinute, expected: "a whole number from \(range.lowerBound) to \(range.upperBound)", came: text)
    }
    return posts
  }

  private func waitMaxMs(_ settings: Settings) throws -> Int64 {
    let text = settings.text(.queueWaitMax, flag: queueWaitMax, default: "\(Limits.queueWaitMaxMs / 1_000)")
    let range = Limits.queueWaitMaxSecondsRange
    guard let seconds = Int(text), range.contains(seconds) else {
      throw SettingError(
        .queueWaitMax, expected: "seconds, a whole number from \(range.lowerBound) to \(range.upperBound)", came: text)
    }
    return Int64(seconds) * 1_000
  }
}
