package import Web

/// What the page is told of the world around ingest.
package struct PageConfiguration: Sendable {
  /// Where browsers reach the feed's HTTP.
  package enum Feed: Sendable {
    /// Nobody knows: the page asks ingest every few seconds.
    case unknown
    /// "https://feed.example.org".
    case origin(String)
    /// At this port of the host that the page came from, by http; nil until it listens.
    case port(@Sendable () -> Int?)
  }

  /// Where raster tiles come from, to lie under the map instead of the outline of the world.
  package struct Tiles: Sendable, Equatable {
    /// "https://tile.example.org/{z}/{x}/{y}.png".
    package let url: String
    /// Shown on the map; an address at its end is what it leads to.
    package let attribution: String

    /// Nil unless it is an address by http or https with {z}, {x} and {y}, each once, and nothing else in braces.
    package init?(url: String, attribution: String) {
      let names = url.matches(of: /\{[^}]*\}?/).map { String($0.output) }
      guard names.sorted() == ["{x}", "{y}", "{z}"], Tiles.origin(of: url) != nil else { return nil }
      self.url = url
      self.attribution = attribution
    }

    /// "https://tile.example.org".
    var origin: String { Tiles.origin(of: url) ?? "" }

    private static func origin(of url: String) -> String? {
      url.prefixMatch(of: /https?:\/\/[A-Za-z0-9.:\[\]-]+(?=\/)/).map { String($0.output) }
    }
  }

  /// Who may see the map.
  package var viewing = MapAccess.open
  /// Where the page hears what is new.
  package var feed = Feed.unknown
  /// Nil for the outline that the page brings.
  package var tiles: Tiles?

  /// A page that needs nothing but ingest.
  package init() {}
}
