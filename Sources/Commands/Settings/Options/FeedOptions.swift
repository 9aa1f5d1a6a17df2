import ArgumentParser
import Domain
import Feed
import Messaging

/// What `feed` and `up` may be told of the feed.
struct FeedOptions: ParsableArguments {
  @Option(.publish)
  var publish: String?
  @Option(.query)
  var query: String?
  @Option(.allowSubscribers)
  var allowSubscribers: String?
  @Option(.alternates)
  var alternates: String?

  /// A feed's configuration without keys for ingest, and without a folder.
  ///
  /// - Parameters:
  ///   - ingest: the change log's address.
  ///   - http: the feed's address for HTTP.
  ///   - keys: takes the lists of subscribers.
  /// - Throws: `SettingError`.
  func configuration(
    _ settings: Settings, ingest: Endpoint, http: (host: String, port: Int), keys: inout LinkKeys
  ) throws -> FeedConfiguration {
    let publish = try settings.endpoint(.publish, flag: publish)
    guard let beside = settings.optional(.query, flag: query) ?? publish.next?.description else {
      throw SettingError(
        .query, expected: "set: there is no address beside \(Setting.publish.title)", actual: "")
    }
    var configuration = FeedConfiguration(
      ingest: ingest, publish: publish, query: try settings.endpoint(.query, flag: query, default: beside),
      host: http.host, port: http.port)
    configuration.publishCurve = try keys.server(
      .feed, at: publish, .publish, list: .allowSubscribers, flag: allowSubscribers, admitsItself: false,
      settings: settings)
    configuration.queryCurve = try keys.server(
      .query, at: configuration.query, .query, list: .allowSubscribers, flag: allowSubscribers, admitsItself: false,
      settings: settings)
    configuration.alternates = try others(settings)
    return configuration
  }

  private func others(_ settings: Settings) throws -> [Endpoint] {
    guard let text = settings.optional(.alternates, flag: alternates) else { return [] }
    let others = try settings.endpoints(.alternates, flag: text, default: Setting.alternates.example)
    guard others.count <= Limits.alternatesMax else {
      throw SettingError(.alternates, expected: "\(Limits.alternatesMax) addresses at most", actual: text)
    }
    return others
  }
}
