/// An index of names by their halves, for misspelt texts. Nearly every edit leaves one half of a name unchanged. The
/// search looks up both halves, for names as long as the text and one character longer or shorter. An exchange of the
/// two middle characters changes both halves, so `FuzzySearch` looks for it separately. (Pigeonhole principle, as in
/// Mor and Fraenkel's hash coding for spelling checkers, 1982.)
///
/// The table has two sections: the end of each bucket, and the positions of the names.
package enum FuzzyTable {
  /// The half of a name.
  enum Half: UInt8 {
    case first = 1
    case second
  }

  /// Returns the hash of a half and of the whole name's number of characters.
  @inline(__always)
  static func hash(_ half: Half, _ bytes: UnsafeRawBufferPointer, count: Int) -> UInt64 {
    var hash = NameHash()
    hash.add(bytes)
    // These bytes never occur in folded text.
    withUnsafeBytes(of: (half.rawValue, UInt8(truncatingIfNeeded: count))) { hash.add($0) }
    return hash.value
  }

  /// Returns the hashes of a name's halves. Nil for a name that is too short or too long for fuzzy search.
  package static func halves(of name: UnsafeRawBufferPointer) -> (first: UInt64, second: UInt64)? {
    guard let scalars = EditDistance(name), scalars.count >= GazetteerLimits.fuzzyCharactersMin else { return nil }
    let (middle, count) = (scalars.count / 2, scalars.count)
    return (
      hash(.first, scalars.slice(0, middle), count: count), hash(.second, scalars.slice(middle, count), count: count)
    )
  }

  /// Returns true if a name with this posting belongs in the index.
  ///
  /// - Parameter population: The number of inhabitants of the posting's place.
  package static func isIndexed(_ posting: Posting, population: UInt32) -> Bool {
    switch posting.kind {
    case .official: posting.isArea || population > 0
    case .alternate, .short: posting.isArea || population >= GazetteerLimits.fuzzyPopulationMin
    case .code: false
    }
  }
}
