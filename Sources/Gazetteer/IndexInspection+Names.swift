import OnTheMap

/// The sections by which names are found.
extension IndexInspection {
  /// Names in their order, each found by its hash, and what tells of them before they are looked at: the filter, and
  /// the ranks of their blocks.
  func inspectNames() throws(PlaceIndexError) {
    var last = UnsafeRawBufferPointer(start: nil, count: 0)
    guard let first = sections.names[0], first.bytes == 0, first.postings == 0 else {
      throw fault("names: their start")
    }
    for number in 0..<UInt32(sections.nameCount) {
      guard let record = sections.names[number], let next = sections.names[number + 1], record.bytes < next.bytes
      else { throw fault("name \(number): its bytes") }
      let name = sections.nameBytes.slice(Int(record.bytes), Int(next.bytes))
      guard !name.isEmpty, number == 0 || last.lexicographicallyPrecedes(name) else {
        throw fault("name \(number): its order")
      }
      last = name
      var hash = NameHash()
      hash.add(name)
      guard isFiltered(hash.value) else { throw fault("name \(number): the filter leaves it out") }
      guard sections.number(of: name, hash: hash.value) == number else {
        throw fault("name \(number): it is not found")
      }
    }
    guard let end = sections.names[UInt32(sections.nameCount)], Int(end.bytes) == sections.nameBytes.count,
      Int(end.postings) == sections.postings.count
    else { throw fault("names: their end") }
    try inspectFilter()
    try inspectBlockRanks()
  }

  private func isFiltered(_ hash: UInt64) -> Bool {
    let word = sections.filter[UInt32(truncatingIfNeeded: NameFilter.word(hash, of: sections.filter.count))] ?? 0
    return word & NameFilter.bits(hash) == NameFilter.bits(hash)
  }

  /// Bits of no name do no harm but in time: the filter is to have none, and the slots no more entries than names.
  private func inspectFilter() throws(PlaceIndexError) {
    var filter = [UInt64](repeating: 0, count: sections.filter.count)
    for number in 0..<UInt32(sections.nameCount) {
      guard let name = sections.nameBytes(number) else { throw fault("name \(number): its bytes") }
      var hash = NameHash()
      hash.add(name)
      filter[NameFilter.word(hash.value, of: filter.count)] |= NameFilter.bits(hash.value)
    }
    for (number, word) in filter.enumerated() where sections.filter[UInt32(number)] != word {
      throw fault("word \(number) of the filter")
    }
    let taken = (0..<UInt32(sections.slots.count)).lazy.filter { (sections.slots[$0] ?? 0) != 0 }.count
    guard taken == sections.nameCount else { throw fault("slots: \(taken) for \(sections.nameCount) names") }
  }

  /// The postings of a name: its areas, then its places, each part by falling rank. Searches stop where enough is
  /// found.
  func inspectPostings() throws(PlaceIndexError) {
    for name in 0..<UInt32(sections.nameCount) {
      guard let range = sections.postings(ofName: name) else { throw fault("name \(name): its postings") }
      var last: (isPlace: Int, rank: Int)?
      for number in range {
        guard let posting = sections.posting(number), let place = sections.place(posting.place),
          posting.isArea == (place.level < Place.Level.city.rawValue)
        else { throw fault("posting \(number)") }
        // An area that is eclipsed keeps its place in the order.
        let whole = Posting(place: posting.place, kind: posting.kind, isArea: posting.isArea)
        let order = (posting.isArea ? 0 : 1, -max(Int(place.rank) - whole.demotion(level: place.level), 0))
        guard last.map({ $0 <= order }) ?? true else { throw fault("posting \(number): its order") }
        last = order
      }
    }
  }

  private func inspectBlockRanks() throws(PlaceIndexError) {
    let size = UInt32(NameBlocks.names)
    let count = (UInt32(sections.nameCount) + size - 1) / size
    guard sections.blockRanks.count == Int(count) else { throw fault("the ranks of blocks") }
    for block in 0..<count {
      var highest = 0
      for name in (block * size)..<min((block + 1) * size, UInt32(sections.nameCount)) {
        for posting in (sections.postings(ofName: name) ?? 0..<0).compactMap(sections.posting) {
          guard let place = sections.place(posting.place) else { continue }
          highest = max(highest, Int(place.rank) - posting.demotion(level: place.level))
        }
      }
      guard sections.blockRanks[block] == UInt16(clamping: highest) else { throw fault("the rank of block \(block)") }
    }
  }

  /// Each name that can be found misspelt is in the buckets of both of its halves, and in no other.
  func inspectFuzzyNames() throws(PlaceIndexError) {
    let buckets = UInt32(sections.fuzzyBuckets.count)
    var halves = [UInt8](repeating: 0, count: sections.nameCount)
    var end: UInt32 = 0
    for bucket in 0..<buckets {
      guard let next = sections.fuzzyBuckets[bucket], next >= end, Int(next) <= sections.fuzzyNames.count else {
        throw fault("fuzzy bucket \(bucket)")
      }
      var last: UInt32?
      for position in end..<next {
        guard let number = sections.fuzzyName(position), let name = sections.nameBytes(number),
          last.map({ $0 <= number }) ?? true, let both = FuzzyTable.halves(of: name)
        else { throw fault("fuzzy name \(position)") }
        let here = [both.first, both.second].filter { UInt32(truncatingIfNeeded: $0) & (buckets - 1) == bucket }.count
        // Twice in one bucket where both halves fall into it.
        guard here > (last == number ? 1 : 0), halves[Int(number)] < 2 else {
          throw fault("fuzzy name \(position): its bucket")
        }
        halves[Int(number)] += 1
        last = number
      }
      end = next
    }
    guard Int(end) == sections.fuzzyNames.count else { throw fault("fuzzy buckets: their end") }
    if let lone = halves.firstIndex(of: 1) { throw fault("name \(lone): one of its halves is missing") }
  }
}
