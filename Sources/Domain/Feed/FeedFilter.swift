/// Which posts of the list somebody wants to see.
package struct FeedFilter: Sendable, Hashable {
  /// What is wrong with a part of a filter. Final: the question has to be changed.
  package struct Invalid: Error, Sendable, Equatable {
    /// "country" or "box".
    package let name: String
    /// "one to 32 codes …".
    package let expected: String
    /// What was given instead: one safe line, at most `Limits.complaintBytesMax` bytes.
    package let actual: String
  }

  /// ISO 3166-1 alpha-2, in capitals; empty for all, and `Limits.filterCountriesMax` at most.
  private let countries: Set<String>
  private let box: BoundingBox?

  /// All posts.
  package static let all = FeedFilter(countries: [], box: nil)

  private init(countries: Set<String>, box: BoundingBox?) {
    self.countries = countries
    self.box = box
  }

  /// As people and programs write it: what is empty filters nothing, and what is given must all hold.
  ///
  /// - Parameters:
  ///   - country: "US", or several: "us,CA".
  ///   - box: "WEST,SOUTH,EAST,NORTH" in degrees; west is greater than east where it crosses the antimeridian.
  package init(country: String, box: String) throws(Invalid) {
    self.init(countries: try Self.countries(country), box: try Self.box(box))
  }

  /// Whether it lets everything through.
  package var isAll: Bool { countries.isEmpty && box == nil }

  /// Whether it lets a post through. One whose country is not known is in none.
  package func contains(_ entry: FeedEntry) -> Bool { contains(entry.countryCode, entry.coordinate) }

  /// Whether it lets a post through that may not be on the map: then its place is not known.
  package func contains(_ post: Post) -> Bool {
    isAll || post.outcome.map { contains($0.countryCode, $0.coordinate) } ?? false
  }

  private func contains(_ countryCode: String, _ coordinate: Coordinate) -> Bool {
    (countries.isEmpty || countries.contains(countryCode)) && box?.contains(coordinate) ?? true
  }

  private static func countries(_ text: String) throws(Invalid) -> Set<String> {
    guard !text.trimmedLine.isEmpty else { return [] }
    // One more than may be, to see that it is too many: who sends thousands should not have them all looked at.
    let codes = text.split(separator: ",", maxSplits: Limits.filterCountriesMax, omittingEmptySubsequences: false)
      .map { String($0).trimmedLine.uppercased() }
    guard codes.count <= Limits.filterCountriesMax, codes.allSatisfy(\.isCountryCode) else {
      throw Invalid(
        "country", "one to \(Limits.filterCountriesMax) codes of two letters with commas between, such as US,CA", text)
    }
    return Set(codes)
  }

  private static func box(_ text: String) throws(Invalid) -> BoundingBox? {
    guard !text.trimmedLine.isEmpty else { return nil }
    let sides = text.split(separator: ",", maxSplits: 4, omittingEmptySubsequences: false).map(String.init)
    guard sides.count == 4, let low = Coordinate(latitude: sides[1], longitude: sides[0]),
      let high = Coordinate(latitude: sides[3], longitude: sides[2]),
      let box = BoundingBox(
        south: low.latitudeE7, west: low.longitudeE7, north: high.latitudeE7, east: high.longitudeE7)
    else {
      throw Invalid("box", "WEST,SOUTH,EAST,NORTH in degrees with south not above north, such as -125,24,-66,50", text)
    }
    return box
  }
}

extension FeedFilter.Invalid {
  fileprivate init(_ name: String, _ expected: String, _ came: String) {
    self.init(name: name, expected: expected, came: came.safeLine(bytesMax: Limits.complaintBytesMax))
  }
}

extension FeedState {
  /// The same list with only those posts that the filter lets through.
  package func filtered(_ filter: FeedFilter) -> FeedState {
    filter.isAll ? self : FeedState(epoch: epoch, seq: seq, entries: entries.filter(filter.contains))
  }
}
