/// The relation between the words of a query and a name.
enum Spelling: UInt8 {
  case exact
  /// Words that are one edit away from the name.
  case fuzzy
  /// Words that are the beginning of the name.
  case prefix
}

/// Tokens of a query that together are a name in the index.
struct NameMatch {
  /// Mask of the tokens, one bit each. They are neighbours.
  var mask: UInt64
  var postings: Range<UInt32>
  /// Position of the first city among the postings, after the areas.
  var areaEnd: UInt32
  /// True if the tokens are a whole segment, apart from numbers.
  var isSegment: Bool
  /// True if the position allows a code: "OR" in "Portland OR", but not in "one or two".
  var readsCodes: Bool
  /// True if the tokens name a street: "Oxford St", "via Milano".
  var isStreet: Bool
  var spelling = Spelling.exact
  /// True if the name is only a part of its token, which is a run of Han or kana.
  var isPartial = false
  /// Mask of the longest name in the text that contains this one, such as "Mexico City" for "Mexico". Otherwise 0.
  var longer: UInt64 = 0
  /// Score deduction for a position in the text that is unusual for a place, in 1/256. Nil if the tokens can only name
  /// the area around a place.
  var penalty: Int32?

  /// Index of the first token.
  var first: Int { mask.trailingZeroBitCount }
  /// Index after the last token.
  var end: Int { 64 - mask.leadingZeroBitCount }

  /// The postings of areas, which may contain a place.
  var areas: Range<UInt32> {
    postings.lowerBound..<min(areaEnd, postings.lowerBound + UInt32(GazetteerLimits.areasPerName))
  }

  /// True if the name is that of an area.
  var hasAreas: Bool { areaEnd > postings.lowerBound }

  func overlaps(_ other: NameMatch) -> Bool { mask & other.mask != 0 }
}
