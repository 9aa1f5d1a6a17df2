import ArgumentParser
import Ingest

/// Options of ingest about its page.
struct PageOptions: ParsableArguments {
  @Option(.feedURL)
  var feedUrl: String?
  @Option(.tiles)
  var tiles: String?
  @Option(.tilesAttribution)
  var tilesAttribution: String?

  /// Throws `SettingError` with what is wrong.
  func configuration(_ settings: Settings) throws -> PageConfiguration {
    var page = PageConfiguration()
    if let url = settings.optional(.feedURL, flag: feedUrl) {
      guard IngestOptions.isOrigin(url) else {
        throw SettingError(
          .feedURL, expected: "an address without a path, such as https://feed.example.org", actual: url)
      }
      page.feed = .origin(url)
    }
    let attribution = settings.optional(.tilesAttribution, flag: tilesAttribution)
    if let url = settings.optional(.tiles, flag: tiles) {
      guard let attribution else {
        throw SettingError(
          .tilesAttribution, expected: "set where there are tiles, such as to © OpenStreetMap contributors", actual: "")
      }
      guard let tiles = PageConfiguration.Tiles(url: url, attribution: attribution) else {
        throw SettingError(
          .tiles, expected: "an address with {z}, {x} and {y}, such as https://tile.example.org/{z}/{x}/{y}.png",
          actual: url)
      }
      page.tiles = tiles
    } else if let attribution {
      throw SettingError(.tiles, expected: "set where \(Setting.tilesAttribution.title) is", actual: attribution)
    }
    return page
  }
}
