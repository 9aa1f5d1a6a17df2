/// Filter for posts of the list, by country and by bounding box.
package struct FeedFilter: Sendable, Hashable {
  /// Error in a part of a filter. Do not retry it: the request has to change.
  package struct Invalid: Error, Sendable, Equatable {
    /// Name of the invalid part: "country" or "bbox".
    package let name: String
    /// Description of a valid value, for example "one to 32 codes …".
    package let expected: String
    /// Value as received: one safe line, at most `Limits.quotedTextBytesMax` bytes.
    package let actual: String
  }

  /// Country codes in ISO 3166-1 alpha-2, in capitals, at most `Limits.filterCountriesMax`. Empty for all countries.
  private let countries: Set<String>
  private let box: BoundingBox?

  /// Filter that passes all posts.
  package static let all = FeedFilter(countries: [], box: nil)

  private init(countries: Set<String>, box: BoundingBox?) {
    self.countries = countries
    self.box = box
  }

  /// Parses a filter. An empty part passes every post. A post must pass both parts.
  ///
  /// - Parameters:
  ///   - country: "US", or several codes: "us,CA".
  ///   - box: "WEST,SOUTH,EAST,NORTH" in degrees. West exceeds east if the box crosses the antimeridian.
  package init(country: String, box: String) throws(Invalid) {
    self.init(countries: try Self.countries(country), box: try Self.box(box))
  }

  /// True if the filter passes every post.
  package var isAll: Bool { countries.isEmpty && box == nil }

  /// Returns true if the filter passes the entry. An entry of unknown country belongs to no country.
  package func contains(_ entry: FeedEntry) -> Bool { contains(entry.countryCode, entry.coordinate) }

  /// Returns true if the filter passes the post. A post without an outcome has no known place.
  package func contains(_ post: Post) -> Bool {
    isAll || post.outcome.map { contains($0.countryCode, $0.coordinate) } ?? false
  }

  private func contains(_ countryCode: String, _ coordinate: Coordinate) -> Bool {
    (countries.isEmpty || countries.contains(countryCode)) && box?.contains(coordinate) ?? true
  }

  private static func countries(_ text: String) throws(Invalid) -> Set<String> {
    guard !text.trimmedLine.isEmpty else { return [] }
    // Split off at most one code above the maximum. A request with thousands of codes then costs no more.
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
      throw Invalid("bbox", "WEST,SOUTH,EAST,NORTH in degrees with south not above north, such as -125,24,-66,50", text)
    }
    return box
  }
}

extension FeedFilter.Invalid {
  fileprivate init(_ name: String, _ expected: String, _ actual: String) {
    self.init(name: name, expected: expected, actual: actual.safeLine(bytesMax: Limits.quotedTextBytesMax))
  }
}

extension FeedState {
  /// Returns the list with only the posts that the filter passes.
  package func filtered(_ filter: FeedFilter) -> FeedState {
    filter.isAll ? self : FeedState(epoch: epoch, seq: seq, entries: entries.filter(filter.contains))
  }
}
