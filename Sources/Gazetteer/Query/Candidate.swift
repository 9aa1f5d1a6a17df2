import Domain

/// A place that a query may mean.
struct Candidate {
  var place: UInt32
  /// Score of the candidate; the larger, the better. The unit is 1/256, as in ranks.
  var score: Int
  /// Weight of the query's tokens that belong to the place or to its areas.
  var covered: Int
  /// Weight of all tokens of the query.
  var total: Int
  /// Mask of the covered tokens, one bit each.
  var mask: UInt64
  /// True if other words of the query stand for an area, a larger city or a postcode around the place.
  var hasContext: Bool
  /// True if the place's name stands alone between commas.
  var isSegment: Bool
  /// True if only numbers follow the place's name.
  var isLast: Bool
  /// Rank of the place in 1/256, less the deductions for the kind of its name and for a misspelling. For a postcode,
  /// the score.
  var prominence: Int
  /// True if the text looks like an address, whose number and street usually remain uncovered.
  var isInAddress: Bool
  /// Record number of the postcode of this place that the query contains. `PlaceRecord.none` without such a postcode.
  var postcode: UInt32
  /// True if the postcode is the result. `place` is then the city around it.
  var isPostcode: Bool
  /// Spelling of the place's name in the query.
  var spelling: Spelling
  /// True if the candidate covers the whole query.
  var isWhole: Bool
  var population: UInt32

  /// The kind of match that the result reports.
  var match: Place.Match {
    switch spelling {
    case .fuzzy: .fuzzy
    case .prefix: .prefix
    case .exact: isWhole ? .exact : .fallback
    }
  }

  /// True if the evidence suffices to return the candidate. A word alone is weak evidence, because most words are the
  /// name of some place in the world.
  var isPlausible: Bool {
    if isWhole || hasContext || isSegment && spelling == .exact { return true }
    guard spelling == .exact else { return false }
    if isLast, prominence >= GazetteerLimits.lastProminenceMin { return true }
    return isInAddress
      ? covered * 100 >= total * GazetteerLimits.addressCoverageMinPercent
        && prominence >= GazetteerLimits.addressProminenceMin
      : covered * 100 >= total * GazetteerLimits.coverageMinPercent && prominence >= GazetteerLimits.prominenceMin
  }

  /// True if the match may be a coincidence. Most words are the name of some small city or the code of an airport.
  var mayBeCoincidence: Bool {
    !hasContext && !isPostcode && mask.nonzeroBitCount == 1
      && prominence < GazetteerLimits.coincidenceProminence
  }

  static func precedes(_ a: Candidate, _ b: Candidate) -> Bool {
    if a.score != b.score { return a.score > b.score }
    if a.population != b.population { return a.population > b.population }
    return a.place < b.place
  }
}
