/// How the words of a query stand to a name.
enum Spelling: UInt8 {
  case exact
  /// One edit away.
  case fuzzy
  /// The name begins with them.
  case prefix
}

/// Tokens of a query that together are a name in the index.
struct NameMatch {
  /// One bit for each token; they are neighbours.
  var mask: UInt64
  var postings: Range<UInt32>
  /// Where the populated places begin among the postings.
  var areaEnd: UInt32
  /// The tokens make up a whole segment, leaving numbers aside.
  var isSegment: Bool
  /// Its codes may be read as codes here: "OR" at the end of "Portland OR", not within "one or two".
  var readsCodes: Bool
  /// The tokens name a street rather than a place: "Oxford St", "via Milano".
  var isStreet: Bool
  var spelling = Spelling.exact
  /// The name is only a part of its one token: a name in a run of Han or kana.
  var isPartial = false
  /// The tokens of the longest name in the text of which this one is only a part, "Mexico City" for "Mexico"; else 0.
  var longer: UInt64 = 0
  /// How little the position suggests a place, in 1/256; nil where the tokens can only enclose a place or nothing.
  var penalty: Int32?

  /// Tokens from `first` up to and without `end`.
  var first: Int { mask.trailingZeroBitCount }
  var end: Int { 64 - mask.leadingZeroBitCount }

  /// The postings of what may contain a place.
  var areas: Range<UInt32> {
    postings.lowerBound..<min(areaEnd, postings.lowerBound + UInt32(GazetteerLimits.areasPerName))
  }

  /// It is the name of something that can contain a place.
  var hasAreas: Bool { areaEnd > postings.lowerBound }

  func overlaps(_ other: NameMatch) -> Bool { mask & other.mask != 0 }
}
