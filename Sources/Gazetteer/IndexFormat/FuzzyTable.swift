/// Names by their halves, for texts that are misspelt. An edit leaves one half of a name whole, so whoever looks for
/// names that have one half and the length in common with a text finds every name that is one edit away (the pigeonhole
/// principle, as in Mor and Fraenkel's hash coding for spelling checkers, 1982).
///
/// Two sections: where each bucket ends among the names, and where the names lie.
package enum FuzzyTable {
  /// Which half of a name a bucket is of.
  enum Half: UInt8 {
    case first = 1
    case second
  }

  /// The hash of a half, given the characters of the whole name.
  @inline(__always)
  static func hash(_ half: Half, _ bytes: UnsafeRawBufferPointer, count: Int) -> UInt64 {
    var hash = NameHash()
    hash.add(bytes)
    // No folded text has these bytes.
    withUnsafeBytes(of: (half.rawValue, UInt8(truncatingIfNeeded: count))) { hash.add($0) }
    return hash.value
  }

  /// The hashes of a name's halves; nil for a name that is too short or too long to be looked for as misspelt.
  package static func halves(of name: UnsafeRawBufferPointer) -> (first: UInt64, second: UInt64)? {
    guard let scalars = EditDistance(name), scalars.count >= GazetteerLimits.fuzzyCharactersMin else { return nil }
    let (middle, count) = (scalars.count / 2, scalars.count)
    return (
      hash(.first, scalars.slice(0, middle), count: count), hash(.second, scalars.slice(middle, count), count: count)
    )
  }

  /// True if a name with this posting is worth looking for as misspelt.
  /// - Parameter population: inhabitants of the posting's place.
  package static func isIndexed(_ posting: Posting, population: UInt32) -> Bool {
    switch posting.kind {
    case .official: posting.isArea || population > 0
    case .alternate, .short: posting.isArea || population >= GazetteerLimits.fuzzyPopulationMin
    case .code: false
    }
  }
}
