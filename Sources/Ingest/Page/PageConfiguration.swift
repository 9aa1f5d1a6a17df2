package import Web

/// Configuration of the page.
package struct PageConfiguration: Sendable {
  /// The address at which browsers reach the feed over HTTP.
  package enum Feed: Sendable {
    /// No known address. The page polls ingest every few seconds.
    case unknown
    /// An origin, such as "https://feed.example.org".
    case origin(String)
    /// A port of the host that served the page, over http. Nil until the feed listens.
    case port(@Sendable () -> Int?)
  }

  /// The server of raster tiles, which replace the page's own outline of the world.
  package struct Tiles: Sendable, Equatable {
    /// URL of a tile, such as "https://tile.example.org/{z}/{x}/{y}.png".
    package let url: String
    /// Attribution on the map. A URL at its end becomes its link.
    package let attribution: String

    /// Checks a tile server. Returns nil unless the URL is http or https with {z}, {x} and {y} once each, and no other
    /// braces.
    package init?(url: String, attribution: String) {
      let names = url.matches(of: /\{[^}]*\}?/).map { String($0.output) }
      guard names.sorted() == ["{x}", "{y}", "{z}"], Tiles.origin(of: url) != nil else { return nil }
      self.url = url
      self.attribution = attribution
    }

    /// Origin of the tiles, such as "https://tile.example.org".
    var origin: String { Tiles.origin(of: url) ?? "" }

    private static func origin(of url: String) -> String? {
      url.prefixMatch(of: /https?:\/\/[A-Za-z0-9.:\[\]-]+(?=\/)/).map { String($0.output) }
    }
  }

  /// Access control for viewing the map.
  package var mapAccess = MapAccess.public
  /// The feed that the page subscribes to.
  package var feed = Feed.unknown
  /// The tile server. Nil selects the page's own outline of the world.
  package var tiles: Tiles?

  /// Creates a configuration of a public map without a feed and without a tile server.
  package init() {}
}
