import Domain

/// Inspection of the sections that find names.
extension IndexInspection {
  /// Checks that names are sorted, adjacent and found by their hashes. Also checks the filter of beginnings and the
  /// ranks of blocks.
  func inspectNames() throws(PlaceIndexError) {
    var last = UnsafeRawBufferPointer(start: nil, count: 0)
    var position: UInt32 = 1
    guard sections.names[0] == 0 else { throw fault("names: their start") }
    for number in 0..<UInt32(sections.nameCount) {
      guard sections.nameOrder[number] == position, let name = sections.name(at: position) else {
        throw fault("name \(number): its position")
      }
      guard number == 0 || last.lexicographicallyPrecedes(name.bytes), isFilledUp(name) else {
        throw fault("name \(number): its bytes or its order")
      }
      (last, position) = (name.bytes, name.postings.upperBound)
      guard sections.name(name.bytes, hash: NameHash.of(name.bytes))?.postings == name.postings else {
        throw fault("name \(number): it is not found")
      }
    }
    guard Int(position) == sections.names.count else { throw fault("names: their end") }
    try inspectSlots()
    try inspectBeginnings()
    try inspectBlockRanks()
  }

  /// Returns true if zeros fill the space between a name's bytes and its postings.
  private func isFilledUp(_ name: NameEntry) -> Bool {
    guard let last = sections.names[name.postings.lowerBound - 1] else { return false }
    let rest = name.bytes.count % 4
    return rest == 0 || last >> (8 * UInt32(rest)) == 0
  }

  /// Checks that as many slots are used as there are names. The caller has found each name.
  private func inspectSlots() throws(PlaceIndexError) {
    let used = (0..<UInt32(sections.slots.count)).lazy.filter { (sections.slots[$0] ?? 0) != 0 }.count
    guard used == sections.nameCount else { throw fault("slots: \(used) for \(sections.nameCount) names") }
  }

  /// Checks that the filter has no surplus bits, which would only cost time.
  private func inspectBeginnings() throws(PlaceIndexError) {
    var filter = [UInt64](repeating: 0, count: sections.beginnings.count)
    for number in 0..<UInt32(sections.nameCount) {
      guard let name = sections.name(number) else { throw fault("name \(number): its bytes") }
      NamePrefixFilter.forEach(of: name.bytes) { hash in
        filter[NamePrefixFilter.word(hash, of: filter.count)] |= NamePrefixFilter.bits(hash)
      }
    }
    for (number, word) in filter.enumerated() where sections.beginnings[UInt32(number)] != word {
      throw fault("word \(number) of the names' beginnings")
    }
  }

  /// Checks the order of a name's postings: areas, then cities, each part by descending rank. Searches rely on the
  /// order to stop early.
  func inspectPostings() throws(PlaceIndexError) {
    for name in 0..<UInt32(sections.nameCount) {
      guard let range = sections.name(name)?.postings else { throw fault("name \(name): its postings") }
      var last: (isPlace: Int, rank: Int)?
      for number in range {
        guard let posting = sections.posting(number), let place = sections.place(posting.place),
          posting.isArea == !place.isCity, !posting.isEclipsed || place.isRegion
        else { throw fault("posting \(number)") }
        // An eclipsed area keeps its position in the order.
        let uneclipsed = Posting(place: posting.place, kind: posting.kind, isArea: posting.isArea)
        let order = (posting.isArea ? 0 : 1, -max(Int(place.rank) - uneclipsed.demotion(level: place.level), 0))
        guard last.map({ $0 <= order }) ?? true else { throw fault("posting \(number): its order") }
        last = order
      }
    }
  }

  private func inspectBlockRanks() throws(PlaceIndexError) {
    let size = UInt32(NameBlockRanks.names)
    let count = (UInt32(sections.nameCount) + size - 1) / size
    guard sections.blockRanks.count == Int(count) else { throw fault("the ranks of blocks") }
    for block in 0..<count {
      var highest = 0
      for name in (block * size)..<min((block + 1) * size, UInt32(sections.nameCount)) {
        for posting in (sections.name(name)?.postings ?? 0..<0).compactMap(sections.posting) {
          guard let place = sections.place(posting.place) else { continue }
          highest = max(highest, Int(place.rank) - posting.demotion(level: place.level))
        }
      }
      guard sections.blockRanks[block] == UInt16(clamping: highest) else { throw fault("the rank of block \(block)") }
    }
  }

  /// Checks that each name of the fuzzy index is in the buckets of both of its halves, and in no other.
  func inspectFuzzyNames() throws(PlaceIndexError) {
    let buckets = UInt32(sections.fuzzyBuckets.count)
    var end: UInt32 = 0
    for bucket in 0..<buckets {
      guard let next = sections.fuzzyBuckets[bucket], next >= end, Int(next) <= sections.fuzzyNames.count else {
        throw fault("fuzzy bucket \(bucket)")
      }
      var last: UInt32?
      for number in end..<next {
        guard let position = sections.fuzzyName(number), let name = sections.name(at: position),
          sections.name(name.bytes, hash: NameHash.of(name.bytes))?.postings == name.postings,
          last.map({ $0 <= position }) ?? true, let both = FuzzyTable.halves(of: name.bytes)
        else { throw fault("fuzzy name \(number)") }
        last = position
        // A name is twice in a bucket if both halves fall into it.
        let own = [both.first, both.second].map { UInt32(truncatingIfNeeded: $0) & (buckets - 1) }
        guard own.contains(bucket), own.allSatisfy({ half in times(position, half) == own.count { $0 == half } }) else {
          throw fault("fuzzy name \(number): the buckets of its halves")
        }
      }
      end = next
    }
    guard Int(end) == sections.fuzzyNames.count else { throw fault("fuzzy buckets: their end") }
    let expected = (0..<UInt32(sections.nameCount)).count { sections.name($0).map(isFuzzy) ?? false }
    guard Int(end) == 2 * expected else { throw fault("fuzzy names: \(end) for \(expected) names") }
  }

  /// Returns true if a name belongs in the fuzzy index.
  private func isFuzzy(_ name: NameEntry) -> Bool {
    let isIndexed = name.postings.lazy.compactMap(sections.posting).contains {
      FuzzyTable.isIndexed($0, population: sections.place($0.place)?.population ?? 0)
    }
    return isIndexed && FuzzyTable.halves(of: name.bytes) != nil
  }

  /// Returns the number of times that a name is in a bucket.
  private func times(_ position: UInt32, _ bucket: UInt32) -> Int {
    sections.fuzzyBucket(UInt64(bucket)).count { sections.fuzzyName($0) == position }
  }
}
