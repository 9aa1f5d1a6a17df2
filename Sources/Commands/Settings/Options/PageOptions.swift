import ArgumentParser
import Ingest

/// Options of ingest's page.
struct PageOptions: ParsableArguments {
  @Option(.publicFeedURL)
  var publicFeedUrl: String?
  @Option(.tiles)
  var tiles: String?
  @Option(.tilesAttribution)
  var tilesAttribution: String?

  /// Returns the configuration of the page.
  ///
  /// - Throws: `SettingError` for an invalid setting.
  func configuration(_ settings: Settings) throws -> PageConfiguration {
    var page = PageConfiguration()
    if let url = settings.optional(.publicFeedURL, flag: publicFeedUrl) {
      guard IngestOptions.isOrigin(url) else {
        throw SettingError(
          .publicFeedURL, expected: "a URL without a path, such as https://feed.example.org", actual: url)
      }
      page.feed = .origin(url)
    }
    let attribution = settings.optional(.tilesAttribution, flag: tilesAttribution)
    if let url = settings.optional(.tiles, flag: tiles) {
      guard let attribution else {
        throw SettingError(
          "\(Setting.tilesAttribution.title) is missing. \(Setting.tiles.title) requires it: for example "
            + "© OpenStreetMap contributors.")
      }
      guard let tiles = PageConfiguration.Tiles(url: url, attribution: attribution) else {
        throw SettingError(
          .tiles, expected: "a URL with {z}, {x} and {y}, such as https://tile.example.org/{z}/{x}/{y}.png",
          actual: url)
      }
      page.tiles = tiles
    } else if attribution != nil {
      throw SettingError(
        "\(Setting.tilesAttribution.title) is set, but \(Setting.tiles.title) is not. Set both or neither.")
    }
    return page
  }
}
