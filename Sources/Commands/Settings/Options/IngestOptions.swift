import ArgumentParser
import Domain
import Ingest
import Logging
import Messaging

/// Options of ingest, alone and within `up`. The help lists each titled group as a section.
struct IngestOptions: ParsableArguments {
  /// Addresses, keys and allowlists of ingest's links.
  struct Links: ParsableArguments {
    @Option(.jobs)
    var jobs: String?
    @Option(.changes)
    var changes: String?
    @Option(.submit)
    var submit: String?
    @Option(.gateways)
    var gateways: String?
    @Option(.keyFile)
    var keyFile: String?
    @Option(.allowWorkers)
    var allowWorkers: String?
    @Option(.allowFeeds)
    var allowFeeds: String?
    @Option(.allowProducers)
    var allowProducers: String?
    @Option(.allowGateways)
    var allowGateways: String?
    @Option(.allowPlaintext)
    var allowPlaintext: String?
  }

  /// Limits that the operator sets.
  struct Bounds: ParsableArguments {
    @Option(.maxQueueWait)
    var maxQueueWait: String?
    @Option(.postsPerMinute)
    var postsPerMinute: String?
    @Option(.remoteRate)
    var remoteRate: String?
  }

  @Option(.data)
  var data: String?
  @OptionGroup var store: StoreOptions
  @Option(.http)
  var http: String?
  @Option(.admin)
  var admin: String?
  @Option(.operations)
  var operations: String?
  @Option(.publicURL)
  var publicUrl: String?
  @OptionGroup var proxies: ProxyOptions
  @Option(.corsOrigins)
  var corsOrigins: String?
  @Option(.signUp)
  var signUp: String?
  @OptionGroup var mapAccess: MapAccessOptions
  @OptionGroup(title: "Link options") var links: Links
  @OptionGroup(title: "Limit options") var bounds: Bounds
  @OptionGroup(title: "Page options") var page: PageOptions
  @OptionGroup(title: "Sign-in options") var signIn: SignInOptions
  @OptionGroup(title: "Mail options") var mail: MailOptions

  /// Returns the keys of the process. `configuration` adds the allowlists of ingest's links.
  ///
  /// - Throws: `SettingError`.
  func keys(_ settings: Settings) throws -> LinkKeys {
    try LinkKeys(settings, keyFile: links.keyFile, allowPlaintext: links.allowPlaintext, listens: true)
  }

  /// Returns the address for operators of the process.
  ///
  /// - Throws: `SettingError`.
  func operations(_ settings: Settings, logger: Logger) throws -> OperationsEndpoint {
    try OperationsEndpoint(settings, .operations, flag: operations, logger: logger)
  }

  /// Returns ingest's configuration.
  ///
  /// - Parameter isAll: True if workers and the feed are in this process too.
  /// - Throws: `SettingError` for an invalid setting.
  func configuration(_ settings: Settings, keys: inout LinkKeys, isAll: Bool = false) throws -> IngestConfiguration {
    let address = try settings.address(.http, flag: http)
    let origin = settings.text(.publicURL, flag: publicUrl)
    guard origin.isEmpty || IngestOptions.isOrigin(origin) else {
      throw SettingError(
        .publicURL, expected: "a URL without a path, such as https://example.org", actual: origin)
    }
    let data = settings.text(.data, flag: data)
    guard !data.isEmpty else { throw SettingError(.data, expected: "a folder such as ./data", actual: data) }
    let rate = settings.text(.remoteRate, flag: bounds.remoteRate)
    guard let perSecond = Double(rate), Limits.remotePerSecondRange.contains(perSecond) else {
      throw SettingError(
        .remoteRate, expected: "requests per second, a number from \(Limits.remotePerSecondRange.words)", actual: rate)
    }
    var configuration = IngestConfiguration(
      data: data, host: address.host, port: address.port,
      jobs: try settings.endpoint(.jobs, flag: links.jobs),
      changes: try settings.endpoint(.changes, flag: links.changes),
      submit: try settings.endpoint(.submit, flag: links.submit), origin: origin)
    configuration.proxies = try proxies.trusted(settings)
    configuration.allowedOrigins = try allowedOrigins(settings)
    let signUp = settings.text(.signUp, flag: signUp)
    guard ["open", "closed"].contains(signUp) else {
      throw SettingError(.signUp, expected: "open or closed", actual: signUp)
    }
    configuration.isSignUpOpen = signUp == "open"
    try signIn.set(&configuration, settings)
    try mail.set(&configuration, settings)
    configuration.page = try page.configuration(settings)
    configuration.page.mapAccess = try mapAccess.mapAccess(settings, isAll: isAll)
    configuration.remotePerSecond = perSecond
    configuration.queueWaitMaxMs = try waitMaxMs(settings)
    configuration.postsPerMinute = try perMinute(settings)
    configuration.submitCurve = try keys.server(
      .submit, at: configuration.submit, .submit, list: .allowProducers, flag: links.allowProducers,
      admitsItself: false, settings: settings)
    configuration.jobsCurve = try keys.server(
      .jobs, at: configuration.jobs, .jobs, list: .allowWorkers, flag: links.allowWorkers, admitsItself: isAll,
      settings: settings)
    configuration.changesCurve = try keys.server(
      .changes, at: configuration.changes, .changes, list: .allowFeeds, flag: links.allowFeeds, admitsItself: isAll,
      settings: settings)
    try setGateways(&configuration, settings, keys: &keys)
    configuration.admin = try settings.admin(flag: admin, data: data)
    return configuration
  }

  private func setGateways(
    _ configuration: inout IngestConfiguration, _ settings: Settings, keys: inout LinkKeys
  ) throws {
    guard settings.optional(.gateways, flag: links.gateways) != nil else { return }
    let endpoint = try settings.endpoint(.gateways, flag: links.gateways)
    configuration.gateway = endpoint
    configuration.gatewayCurve = try keys.server(
      .gateway, at: endpoint, .gateways, list: .allowGateways, flag: links.allowGateways, admitsItself: false,
      settings: settings)
  }

  private func allowedOrigins(_ settings: Settings) throws -> Set<String> {
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

  /// True if the text has the form of the Origin header, with which it is compared: no path, not even a slash.
  static func isOrigin(_ text: String) -> Bool { text.wholeMatch(of: #/https?:\/\/[^\/?#@\s]+/#) != nil }

  private func perMinute(_ settings: Settings) throws -> Int? {
    let text = settings.text(.postsPerMinute, flag: bounds.postsPerMinute)
    guard !text.isEmpty else { return nil }
    let range = Limits.postsPerMinuteRange
    guard let posts = Int(text), range.contains(posts) else {
      throw SettingError(
        .postsPerMinute, expected: "a whole number from \(range.words)", actual: text)
    }
    return posts
  }

  private func waitMaxMs(_ settings: Settings) throws -> Int64 {
    let text = settings.text(.maxQueueWait, flag: bounds.maxQueueWait)
    let range = Limits.queueWaitMaxSecondsRange
    guard let seconds = Int(text), range.contains(seconds) else {
      throw SettingError(
        .maxQueueWait, expected: "seconds, a whole number from \(range.words)", actual: text)
    }
    return Int64(seconds) * 1_000
  }
}
