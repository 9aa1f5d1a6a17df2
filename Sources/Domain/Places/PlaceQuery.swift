/// A question to a geocoder.
package struct PlaceQuery: Sendable, Hashable {
  /// What is asked for, besides the text.
  package enum Kind: UInt8, Sendable {
    /// The places that the text means.
    case forward = 0
    /// As forward, and the last word may be only begun: suggestions while somebody types.
    case prefix
    /// The populated places around the point that the text gives: "47.6, -122.3".
    case reverse
  }

  /// Free text: a name, names from narrow to wide or the other way round, an address, or coordinates.
  package var text: String
  package var kind: Kind
  /// How many answers are wanted: 1 … `Limits.candidatesMax`.
  package var limit: Int
  /// ISO 3166-1 alpha-2, upper case: only places of this country and its territories. An unknown code finds nothing.
  package var country: String?
  /// Places near this point are preferred to others of about their size.
  package var focus: Coordinate?
  /// ISO 639-1: the language of labels, where the data has it; else they are in English or the country's own.
  package var language: String?
  /// Only answers of these levels; empty for all.
  package var levels: Set<Place.Level>
  /// Whether answers are to have `Place.detail`. A post needs none, and it takes time.
  package var isDetailed: Bool

  /// The limit is brought into its range.
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
