import ArgumentParser
import Domain
import Feed
import Messaging

/// Options of the feed, alone and within `up`.
struct FeedOptions: ParsableArguments {
  @Option(.publish)
  var publish: String?
  @Option(.query)
  var query: String?
  @Option(.allowSubscribers)
  var allowSubscribers: String?
  @Option(.failoverFeeds)
  var failoverFeeds: String?

  /// Returns a feed's configuration, without keys for ingest and without a folder.
  ///
  /// - Parameters:
  ///   - ingest: Addresses of the change log.
  ///   - http: Address of the feed's HTTP server.
  ///   - keys: Keys of the process, to which the function adds the allowlist of subscribers.
  /// - Throws: `SettingError`.
  func configuration(
    _ settings: Settings, ingest: [Endpoint], http: (host: String, port: Int), keys: inout LinkKeys
  ) throws -> FeedConfiguration {
    let publish = try settings.endpoint(.publish, flag: publish)
    guard let queryAddress = settings.optional(.query, flag: query) ?? publish.next?.description else {
      throw SettingError(
        "\(Setting.query.title) is missing. Set it, because no port is above that of \(Setting.publish.title).")
    }
    var configuration = FeedConfiguration(
      ingest: ingest, publish: publish, query: try settings.endpoint(.query, flag: query, default: queryAddress),
      host: http.host, port: http.port)
    configuration.publishCurve = try keys.server(
      .feed, at: publish, .publish, list: .allowSubscribers, flag: allowSubscribers, admitsItself: false,
      settings: settings)
    configuration.queryCurve = try keys.server(
      .query, at: configuration.query, .query, list: .allowSubscribers, flag: allowSubscribers, admitsItself: false,
      settings: settings)
    configuration.failoverEndpoints = try failoverEndpoints(settings)
    return configuration
  }

  private func failoverEndpoints(_ settings: Settings) throws -> [Endpoint] {
    guard let text = settings.optional(.failoverFeeds, flag: failoverFeeds) else { return [] }
    return try settings.endpoints(in: text, Setting.failoverFeeds.title, example: Setting.failoverFeeds.example)
  }
}
