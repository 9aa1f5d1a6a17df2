/// A place that a text was found to mean: one answer of a geocoder.
package struct Place: Sendable, Equatable {
  /// How much of the world the place is, from the widest to the narrowest.
  package enum Level: UInt8, Sendable, CaseIterable, Comparable {
    case country = 1
    case region, county, city, postcode, street, house

    package static func < (a: Level, b: Level) -> Bool { a.rawValue < b.rawValue }
  }

  /// How the text led to the place.
  package enum Match: UInt8, Sendable, CaseIterable {
    /// Every word of the text belongs to the place or to what contains it.
    case exact = 1
    /// The text is the beginning of the name.
    case prefix
    /// A name was taken as misspelt.
    case fuzzy
    /// Only a wider place than the text asks for was found.
    case fallback
  }

  /// What a look-up tells beyond what a post needs.
  package struct Detail: Sendable, Equatable {
    /// The second-level region's name, "King"; empty where there is none or it is not known.
    package var county = ""
    /// "98101"; empty unless the text gave it.
    package var postcode = ""
    /// What the place takes up: of a country, region or county the extent of its places, of others an estimate.
    package var box: BoundingBox?
    /// The words of the text that led to the place, as typed.
    package var matched = ""
    /// The words that were left over.
    package var unmatched = ""
    /// Who answered: "gazetteer", or a remote provider's name.
    package var provider = "gazetteer"
    /// What the licences of the data ask to be shown beside the answer.
    package var attribution = ""
    /// A remote provider should have been asked and could not be.
    package var isDegraded = false

    /// Nothing known.
    package init() {}
  }

  /// What the licences of the data behind some places ask to be shown beside them, each once; empty where it is not
  /// known.
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
  /// 0 … 1: how sure it is that this place was meant.
  package var confidence: Double
  /// "Seattle, Washington, United States".
  package var label: String
  /// "Seattle".
  package var name: String
  /// The first-level region's name, "Washington"; empty where there is none.
  package var region: String
  /// "United States".
  package var country: String
  /// ISO 3166-1 alpha-2, upper case, "US".
  package var countryCode: String
  private var extra: Extra? = nil

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

  /// Nil in answers to posts.
  package var detail: Detail? {
    get { extra?.detail }
    set { extra = newValue.map(Extra.init) }
  }

  /// The detail out of line: most places have none, and all are handed on many times.
  private final class Extra: Sendable, Equatable {
    let detail: Detail

    init(_ detail: Detail) { self.detail = detail }

    static func == (a: Extra, b: Extra) -> Bool { a.detail == b.detail }
  }
}
