/// Names by their halves, for texts that are misspelt. An edit leaves one half of a name whole, so whoever looks for
/// names that have one half and the length in common with a text finds every name that is one edit away (the pigeonhole
/// principle, as in Mor and Fraenkel's hash coding for spelling checkers, 1982).
///
/// Two sections: where each bucket ends among the names, and where the names lie.
enum FuzzyTable {
  /// Which half of a name a bucket is of.
  enum Half: UInt8 {
    case first = 1
    case second
  }

  /// Some four names to a bucket.
  private static let namesPerBucket = 4

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
  static func halves(of name: UnsafeRawBufferPointer) -> (first: UInt64, second: UInt64)? {
    guard let scalars = Scalars(name), scalars.count >= GazetteerLimits.fuzzyCharactersMin else { return nil }
    let (middle, count) = (scalars.count / 2, scalars.count)
    return (
      hash(.first, scalars.slice(0, middle), count: count), hash(.second, scalars.slice(middle, count), count: count)
    )
  }

  /// The buckets and names of the names that are worth it: of five characters and more, and a place's own name, or
  /// another name of a place that is not small. A hamlet, of which nobody tells the inhabitants, is no guess.
  static func compiled(_ names: NameTable.Compiled, _ places: [PlaceRecord]) -> (buckets: [UInt32], names: [UInt32]) {
    var entries: [(bucket: UInt32, name: UInt32)] = []
    var halves: [(hash: UInt64, name: UInt32)] = []
    for position in names.order {
      names.withName(at: position) { name, postings in
        guard isWorthIt(postings, { places[Int($0)].population }), let both = self.halves(of: name) else { return }
        halves.append((both.first, position))
        halves.append((both.second, position))
      }
    }
    var size = 16
    while size * namesPerBucket < halves.count { size *= 2 }
    entries = halves.map { (UInt32(truncatingIfNeeded: $0.hash) & UInt32(size - 1), $0.name) }
    entries.sort { $0 < $1 }
    var ends = [UInt32](repeating: 0, count: size)
    for entry in entries { ends[Int(entry.bucket)] += 1 }
    for bucket in 1..<size { ends[bucket] += ends[bucket - 1] }
    return (ends, entries.map(\.name))
  }

  /// - Parameter population: of a place, by its number.
  static func isWorthIt(_ postings: some Sequence<UInt32>, _ population: (UInt32) -> UInt32) -> Bool {
    postings.lazy.map(Posting.init(rawValue:)).contains { posting in
      let population = population(posting.place)
      switch posting.kind {
      case .official: return posting.isArea || population > 0
      case .alternate, .short: return posting.isArea || population >= GazetteerLimits.fuzzyPopulationMin
      case .code: return false
      }
    }
  }
}
