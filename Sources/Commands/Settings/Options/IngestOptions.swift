import ArgumentParser
import Domain
import Ingest
import Logging
import Messaging

/// Options of ingest, alone and within `up`.
struct IngestOptions: ParsableArguments {
  @Option(.data)
  var data: String?
  @Option(.http)
  var http: String?
  @Option(.jobs)
  var jobs: String?
  @Option(.changes)
  var changes: String?
  @Option(.admin)
  var admin: String?
  @Option(.submit)
  var submit: String?
  @Option(.operations)
  var operations: String?
  @Option(.origin)
  var origin: String?
  @OptionGroup var proxies: ProxyOptions
  @Option(.corsOrigins)
  var corsOrigins: String?
  @Option(.signUp)
  var signUp: String?
  @OptionGroup var signIn: SignInOptions
  @OptionGroup var page: PageOptions
  @OptionGroup var viewing: MapAccessOptions
  @Option(.remoteRate)
  var remoteRate: String?
  @Option(.queueWaitMax)
  var queueWaitMax: String?

  @Option(.postsPerMinute)
  var postsPerMinute: String?

  @Option(.keyFile)
  var keyFile: String?
  @Option(.allowWorkers)
  var allowWorkers: String?
  @Option(.allowFeeds)
  var allowFeeds: String?
  @Option(.allowProducers)
  var allowProducers: String?
  @Option(.allowPlaintext)
  var allowPlaintext: String?

  /// The process's keys; `configuration` adds the lists of ingest's links. Throws `SettingError`.
  func keys(_ settings: Settings) throws -> LinkKeys {
    try LinkKeys(settings, keyFile: keyFile, allowPlaintext: allowPlaintext, listens: true)
  }

  /// Where the process is asked about itself. Throws `SettingError`.
  func operations(_ settings: Settings, logger: Logger) throws -> OperationsEndpoint {
    try OperationsEndpoint(settings, .operations, flag: operations, logger: logger)
  }

  /// Throws `SettingError` with what is wrong.
  ///
  /// - Parameter isAll: whether workers and feed are in this process too.
  func configuration(_ settings: Settings, keys: inout LinkKeys, isAll: Bool = false) throws -> IngestConfiguration {
    let address = try settings.address(.http, flag: http)
    let origin = settings.text(.origin, flag: origin)
    guard origin.isEmpty || IngestOptions.isOrigin(origin) else {
      throw SettingError(
        .origin, expected: "the address that people open, without a path, such as https://example.org", actual: origin)
    }
    let data = settings.text(.data, flag: data)
    guard !data.isEmpty else { throw SettingError(.data, expected: "a folder such as ./data", actual: data) }
    let rate = settings.text(.remoteRate, flag: remoteRate)
    guard let perSecond = Double(rate), Limits.remotePerSecondRange.contains(perSecond) else {
      throw SettingError(
        .remoteRate, expected: "a number from \(Limits.remotePerSecondRange.words), of requests a second", actual: rate)
    }
    var configuration = IngestConfiguration(
      data: data, host: address.host, port: address.port,
      jobs: try settings.endpoint(.jobs, flag: jobs),
      changes: try settings.endpoint(.changes, flag: changes),
      submit: try settings.endpoint(.submit, flag: submit), origin: origin)
    configuration.proxies = try proxies.trusted(settings)
    configuration.allowedOrigins = try partners(settings)
    let signUp = settings.text(.signUp, flag: signUp)
    guard ["open", "closed"].contains(signUp) else {
      throw SettingError(.signUp, expected: "open or closed", actual: signUp)
    }
    configuration.isSignUpOpen = signUp == "open"
    try signIn.set(&configuration, settings)
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
    let text = settings.text(.corsOrigins, flag: corsOrigins)
    return Set(
      try text.split(separator: ",").map { part in
        let origin = String(part).trimmedLine
        guard IngestOptions.isOrigin(origin) else {
          throw SettingError(
            .corsOrigins, expected: "origins without a path, such as https://app.example.org", actual: origin)
        }
        return origin
      })
  }

  /// What a browser sends as Origin, to be compared with it: no path, not even a slash.
  static func isOrigin(_ text: String) -> Bool { text.wholeMatch(of: #/https?:\/\/[^\/?#@\s]+/#) != nil }

  private func perMinute(_ settings: Settings) throws -> Int? {
    let text = settings.text(.postsPerMinute, flag: postsPerMinute)
    guard !text.isEmpty else { return nil }
    let range = Limits.postsPerMinuteRange
    guard let posts = Int(text), range.contains(posts) else {
      throw SettingError(
        .postsPerMinute, expected: "a whole number from \(range.words)", actual: text)
    }
    return posts
  }

  private func waitMaxMs(_ settings: Settings) throws -> Int64 {
    let text = settings.text(.queueWaitMax, flag: queueWaitMax)
    let range = Limits.queueWaitMaxSecondsRange
    guard let seconds = Int(text), range.contains(seconds) else {
      throw SettingError(
        .queueWaitMax, expected: "seconds, a whole number from \(range.words)", actual: text)
    }
    return Int64(seconds) * 1_000
  }
}
