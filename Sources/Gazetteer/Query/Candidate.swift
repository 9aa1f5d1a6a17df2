import Domain

/// A place that a query may mean.
struct Candidate {
  var place: UInt32
  /// The larger, the better; 1/256 of the place's rank.
  var score: Int
  /// Weight of the query's tokens that belong to the place or to what contains it, and of all tokens.
  var covered: Int
  var total: Int
  /// The tokens that they are, one bit each.
  var mask: UInt64
  /// Other words of the query name what contains it.
  var hasContext: Bool
  /// Its name stands alone between commas.
  var isSegment: Bool
  /// Nothing but numbers follows its name.
  var isLast: Bool
  /// Its rank by the name under which it was found and as it is spelt, in 1/256.
  var prominence: Int
  /// The text has a house's number or a street's words, so that much of it is left over as a rule.
  var isInAddress: Bool
  /// Its postcode in the query, a record number; `PlaceRecord.none` where there is none.
  var postcode: UInt32
  /// The postcode is what was found, and the place only where it lies.
  var isPostcode: Bool
  /// How its own name is written in the query.
  var spelling: Spelling
  /// Nothing of the query is left over.
  var isWhole: Bool
  var population: UInt32

  /// What is told of how the place was found.
  var match: Place.Match {
    switch spelling {
    case .fuzzy: .fuzzy
    case .prefix: .prefix
    case .exact: isWhole ? .exact : .fallback
    }
  }

  /// Whether enough speaks for it to be said at all: that a word is a name somewhere in the world means little.
  var isPlausible: Bool {
    if isWhole || hasContext || isSegment && spelling == .exact { return true }
    guard spelling == .exact else { return false }
    if isLast, prominence >= GazetteerLimits.lastProminenceMin { return true }
    return isInAddress
      ? covered * 100 >= total * GazetteerLimits.addressCoverageMinPercent
        && prominence >= GazetteerLimits.addressProminenceMin
      : covered * 100 >= total * GazetteerLimits.coverageMinPercent && prominence >= GazetteerLimits.prominenceMin
  }

  /// Whether it may be by chance that a word is the name of a town: most words are that of some hamlet, or the code of
  /// an airport.
  var isChance: Bool {
    !hasContext && !isPostcode && mask.nonzeroBitCount == 1
      && prominence < GazetteerLimits.chanceProminence
  }

  static func precedes(_ a: Candidate, _ b: Candidate) -> Bool {
    if a.score != b.score { return a.score > b.score }
    if a.population != b.population { return a.population > b.population }
    return a.place < b.place
  }
}
