/// A question to the gazetteer.
package struct PlaceQuery: Sendable, Equatable {
  /// Free text: a name, names from narrow to wide or the other way round, an address, or coordinates.
  package var text: String
  /// 1 … 20: how many answers are wanted.
  package let limit: Int
  /// ISO 3166-1 alpha-2: only places of this country and its territories. An unknown code finds nothing.
  package var country: String?

  /// The limit is brought into its range.
  package init(_ text: String, limit: Int = 1, country: String? = nil) {
    self.text = text
    self.limit = min(max(limit, 1), GazetteerLimits.answers)
    self.country = country
  }
}
