import Gazetteer

extension FuzzyTable {
  /// Average number of entries in a bucket.
  private static let namesPerBucket = 4

  /// Returns the buckets and names of the fuzzy index. The index holds names of 5 to 48 characters, but no codes. Areas
  /// have all their names in the index. Cities with a known population have their official names, and cities with
  /// 15,000 inhabitants or more have all their names.
  static func compiled(_ names: NameTable.Compiled, _ places: [PlaceRecord]) -> (buckets: [UInt32], names: [UInt32]) {
    var entries: [(bucket: UInt32, name: UInt32)] = []
    var halves: [(hash: UInt64, name: UInt32)] = []
    for position in names.order {
      names.withName(at: position) { name, postings in
        let isIndexed = postings.contains {
          let posting = Posting(rawValue: $0)
          return self.isIndexed(posting, population: places[Int(posting.place)].population)
        }
        guard isIndexed, let both = self.halves(of: name) else { return }
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
}
