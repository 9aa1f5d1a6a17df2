/// Place that a geocoder found for a text.
package struct Place: Sendable, Equatable {
  /// Extent of a place, from the widest to the narrowest.
  package enum Level: UInt8, Sendable, CaseIterable, Comparable {
    case country = 1
    case region, county, city, postcode, street, house

    package static func < (a: Level, b: Level) -> Bool { a.rawValue < b.rawValue }
  }

  /// Kind of match between the text and the place.
  package enum Match: UInt8, Sendable, CaseIterable {
    /// Every word of the text belongs to the place or to an area that contains it.
    case exact = 1
    /// The text is the beginning of the name.
    case prefix
    /// The geocoder treats a name in the text as misspelt.
    case fuzzy
    /// The geocoder found only a wider place than the text names.
    case fallback
  }

  /// Data of a place that only lookups need.
  package struct Detail: Sendable, Equatable {
    /// Name of the second-level region, for example "King". Empty if there is none or it is unknown.
    package var county = ""
    /// Postcode, for example "98101". Empty unless the text gave it.
    package var postcode = ""
    /// Bounding box of the place. The box of a country, region or county is the extent of its cities. Any other box is
    /// an estimate.
    package var box: BoundingBox?
    /// Words of the text that led to the place, as typed.
    package var matched = ""
    /// Words of the text that the geocoder could not match.
    package var unmatched = ""
    /// Name of the source: "gazetteer" or a remote provider.
    package var provider = "gazetteer"
    /// Attribution that the licences of the data require.
    package var attribution = ""
    /// True if the place needed a remote provider that was unavailable, and comes from the gazetteer instead.
    package var isDegraded = false

    /// Creates a detail without data.
    package init() {}
  }

  /// Returns the attributions of several places, each once, separated by "; ". Empty if there are none.
  package static func attribution(of places: [Place]) -> String {
    var texts: [String] = []
    for case let detail? in places.map(\.detail) where !detail.attribution.isEmpty {
      if !texts.contains(detail.attribution) { texts.append(detail.attribution) }
    }
    return texts.joined(separator: "; ")
  }

  package var coordinate: Coordinate
  package var level: Level
  package var match: Match
  /// Confidence that the text means this place, 0 … 1.
  package var confidence: Double
  /// Full label, for example "Seattle, Washington, United States".
  package var label: String
  /// Short name, for example "Seattle".
  package var name: String
  /// Name of the first-level region, for example "Washington". Empty if there is none.
  package var region: String
  /// Name of the country, for example "United States".
  package var country: String
  /// Country code in ISO 3166-1 alpha-2, upper case, for example "US".
  package var countryCode: String
  private var storage: DetailStorage? = nil

  package init(
    coordinate: Coordinate, level: Level, match: Match, confidence: Double, label: String, name: String,
    region: String, country: String, countryCode: String
  ) {
    self.coordinate = coordinate
    self.level = level
    self.match = match
    self.confidence = confidence
    self.label = label
    self.name = name
    self.region = region
    self.country = country
    self.countryCode = countryCode
  }

  /// Data of the place that only lookups need. Nil in results for posts.
  package var detail: Detail? {
    get { storage?.detail }
    set { storage = newValue.map(DetailStorage.init) }
  }

  /// Detail in a separate allocation, which keeps `Place` small. Most places have no detail, and places are copied
  /// often.
  private final class DetailStorage: Sendable, Equatable {
    let detail: Detail

    init(_ detail: Detail) { self.detail = detail }

    static func == (a: DetailStorage, b: DetailStorage) -> Bool { a.detail == b.detail }
  }
}
