/// Query to a geocoder.
package struct PlaceQuery: Sendable, Hashable {
  /// Kind of query.
  package enum Kind: UInt8, Sendable {
    /// Finds the places that the text means.
    case forward = 0
    /// Finds places for a text whose last word may be incomplete, to suggest them while the user types.
    case autocomplete
    /// Finds the cities around the point that the text gives, such as "47.6, -122.3".
    case reverse
  }

  /// Free text: a name, names from narrow to wide or from wide to narrow, an address, or coordinates.
  package var text: String
  package var kind: Kind
  /// Maximum number of results, 1 … `Limits.candidatesMax`.
  package var limit: Int
  /// Country code in ISO 3166-1 alpha-2, upper case. Results are restricted to this country and its territories. An
  /// unknown code finds nothing.
  package var country: String?
  /// Point that ranks nearby places above other places of about the same size.
  package var focus: Coordinate?
  /// Language of labels, as an ISO 639-1 code. A label without a name in this language is in English or in the
  /// country's own language.
  package var language: String?
  /// Levels of results. Empty for all levels.
  package var levels: Set<Place.Level>
  /// True if results need `Place.detail`, which takes time. A post needs no detail.
  package var isDetailed: Bool

  /// Clamps the limit to its range.
  package init(
    _ text: String, kind: Kind = .forward, limit: Int = 1, country: String? = nil, focus: Coordinate? = nil,
    language: String? = nil, levels: Set<Place.Level> = [], isDetailed: Bool = false
  ) {
    self.text = text
    self.kind = kind
    self.limit = min(max(limit, 1), Limits.candidatesMax)
    self.country = country
    self.focus = focus
    self.language = language
    self.levels = levels
    self.isDetailed = isDetailed
  }
}
