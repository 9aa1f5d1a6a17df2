/// Query to a geocoder.
package struct PlaceQuery: Sendable, Hashable {
  /// Kind of query.
  package enum Kind: UInt8, Sendable {
    /// Finds the places that the text means.
    case forward = 0
    /// Finds places like forward. The last word may be incomplete: suggestions while the user types.
    case autocomplete
    /// Finds the populated places around the point that the text gives: "47.6, -122.3".
    case reverse
  }

  /// Free text: a name, names from narrow to wide or from wide to narrow, an address, or coordinates.
  package var text: String
  package var kind: Kind
  /// Maximum number of results, 1 … `Limits.candidatesMax`.
  package var limit: Int
  /// Country code in ISO 3166-1 alpha-2, upper case, which restricts results to this country and its territories. An
  /// unknown code finds nothing.
  package var country: String?
  /// Point near which places are preferred to others of about their size.
  package var focus: Coordinate?
  /// Language of labels in ISO 639-1, if the data has it. Otherwise labels are in English or the country's own
  /// language.
  package var language: String?
  /// Levels of results. Empty for all levels.
  package var levels: Set<Place.Level>
  /// True if results need `Place.detail`. A post needs none, and it takes time.
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
