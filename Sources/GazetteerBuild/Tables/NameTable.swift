import Domain
import Gazetteer

/// Folded names while an index is built.
struct NameTable {
  /// The file's sections that hold names.
  struct Compiled {
    /// Name entries. Word 0 is unused, so that position 0 stands for none.
    var words: [UInt32] = [0]
    /// Positions of the names in `words`, in the order of the names' bytes.
    var order: [UInt32] = []
    var slots: [UInt32] = []
    var beginnings: [UInt64] = []

    /// Calls `body` with a name's bytes and postings.
    func withName<Result>(at position: UInt32, _ body: (UnsafeRawBufferPointer, ArraySlice<UInt32>) -> Result) -> Result
    {
      let head = NameEntry.Head(rawValue: words[Int(position)])
      let first = Int(position) + 1
      let postings = first + (head.byteCount + 3) / 4
      return words.withUnsafeBytes { bytes in
        body(
          UnsafeRawBufferPointer(rebasing: bytes[first * 4..<first * 4 + head.byteCount]),
          words[postings..<postings + head.postingCount])
      }
    }

    fileprivate mutating func append(_ name: ArraySlice<UInt8>, _ postings: some Collection<Posting>) {
      order.append(UInt32(words.count))
      words.append(NameEntry.Head(byteCount: name.count, postingCount: postings.count).rawValue)
      for start in stride(from: name.startIndex, to: name.endIndex, by: 4) {
        let bytes = name[start..<min(start + 4, name.endIndex)]
        words.append(bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) })
      }
      words += postings.map(\.rawValue)
    }
  }

  private struct Entry {
    /// The name's first eight bytes, most significant first. They decide most comparisons.
    var prefix: UInt64
    var offset: UInt32
    var length: UInt16
    /// Sort key for equal names: areas before cities, then by descending rank. The entry with the larger key comes
    /// first.
    var order: UInt16
    var posting: Posting
  }

  private var bytes: [UInt8] = []
  private var entries: [Entry] = []

  var byteCount: Int { bytes.count }

  /// Adds all names of a row, in all readings.
  mutating func add(_ row: SourceRow, number: UInt32, rank: Int) {
    let isArea = row.level < .city
    var own: [UInt8] = []
    if !isArea {
      FoldedText.withEmpty { text in
        text.fold(UnsafeBufferPointer(rebasing: row.name))
        own = Array(text.folded)
      }
    }
    for (kind, names) in [(Posting.Kind.official, row.officialNames), (.alternate, row.names), (.code, row.codes)] {
      for name in names {
        let name = UnsafeBufferPointer(rebasing: name)
        FoldedText.withEmpty { text in
          text.fold(name)
          let isShort = kind == .alternate && Self.isShort(text.folded, of: own)
          let posting = Posting(place: number, kind: isShort ? .short : kind, isArea: isArea)
          let rank = max(rank - posting.demotion(level: row.level.rawValue), 0)
          append(text, posting, rank)
          let readings = text.readings
          for reading in [FoldedText.Reading.umlautsExpanded, .apostrophesSpaced] where readings.contains(reading) {
            text.fold(name, reading: reading)
            append(text, posting, rank)
          }
        }
      }
    }
  }

  /// Returns true if an alternate name of a city consists of the first words of the city's own name.
  private static func isShort(_ name: UnsafeRawBufferPointer, of own: [UInt8]) -> Bool {
    own.count > name.count && own[name.count] == UInt8(ascii: " ") && own.prefix(name.count).elementsEqual(name)
  }

  private mutating func append(_ text: FoldedText, _ posting: Posting, _ rank: Int) {
    let name = text.folded
    // Skip a name that no query finds: it is longer than a query, or has more tokens than one lookup combines.
    guard !name.isEmpty, !text.isTruncated, name.count <= GazetteerLimits.queryBytes,
      text.tokenCount <= GazetteerLimits.nameTokens
    else { return }
    var prefix: UInt64 = 0
    for index in 0..<8 { prefix = prefix << 8 | (index < name.count ? UInt64(name[index]) : 0) }
    let order = UInt16(clamping: rank) | (posting.isArea ? 0x8000 : 0)
    entries.append(
      Entry(
        prefix: prefix, offset: UInt32(bytes.count), length: UInt16(name.count), order: order, posting: posting))
    bytes += name
  }

  /// Sorts the names and merges equal ones.
  consuming func compiled(_ places: [PlaceRecord]) -> Compiled {
    sort()
    var result = Compiled()
    var names: [(hash: UInt64, position: UInt32)] = []
    var beginnings: [UInt64] = []
    var start = 0
    while start < entries.count {
      let first = entries[start]
      var postings: [Posting] = []
      while start < entries.count, isEqual(first, entries[start]) {
        // Two names of a place may fold to the same text. The name of the higher rank comes first.
        let posting = entries[start].posting
        if !postings.contains(where: { $0.place == posting.place }) { postings.append(posting) }
        start += 1
      }
      let name = bytes[Int(first.offset)..<Int(first.offset) + Int(first.length)]
      name.withUnsafeBytes { name in
        names.append((NameHash.of(name), UInt32(result.words.count)))
        NamePrefixFilter.forEach(of: name) { beginnings.append($0) }
      }
      result.append(name, Self.resolved(postings, places).prefix(NameEntry.postingsMax))
    }
    result.slots = NameHashTable.compiled(names, words: result.words.count)
    result.beginnings = NamePrefixFilter.compiled(beginnings)
    return result
  }

  /// Resolves a name that an area shares with a city in it. A city eclipses a region of the same name if it has at
  /// least 1/64 of the region's inhabitants. By an alternate name, the city needs 1/16 ("New York" of New York City). A
  /// country loses an alternate name that is the official name of a city in it ("Panama City" of Panama).
  private static func resolved(_ postings: [Posting], _ places: [PlaceRecord]) -> [Posting] {
    guard postings.count > 1, postings[0].isArea else { return postings }
    return postings.compactMap { area in
      let record = places[Int(area.place)]
      guard area.isArea, area.kind != .code else { return area }
      let cities = postings.filter { !$0.isArea && $0.kind != .code }
      switch Place.Level(rawValue: record.level) {
      case .country where area.kind == .alternate:
        let isCity = cities.contains {
          $0.kind == .official && UInt32(places[Int($0.place)].country) == area.place
        }
        return isCity ? nil : area
      case .region:
        let isEclipsed = cities.contains { city in
          let place = places[Int(city.place)]
          let weight: UInt64 = city.kind == .official ? 64 : 16
          return place.region == area.place && UInt64(place.population) * weight >= UInt64(record.population)
        }
        return isEclipsed ? Posting(place: area.place, kind: area.kind, isArea: true, isEclipsed: true) : area
      default: return area
      }
    }
  }

  private mutating func sort() {
    bytes.withUnsafeBufferPointer { bytes in
      entries.sort { a, b in
        if a.prefix != b.prefix { return a.prefix < b.prefix }
        let first = bytes[Int(a.offset)..<Int(a.offset) + Int(a.length)]
        let second = bytes[Int(b.offset)..<Int(b.offset) + Int(b.length)]
        let common = min(first.count, second.count)
        for index in 0..<common where first[first.startIndex + index] != second[second.startIndex + index] {
          return first[first.startIndex + index] < second[second.startIndex + index]
        }
        if a.length != b.length { return a.length < b.length }
        if a.order != b.order { return a.order > b.order }
        return a.posting.rawValue < b.posting.rawValue
      }
    }
  }

  private func isEqual(_ a: Entry, _ b: Entry) -> Bool {
    guard a.prefix == b.prefix, a.length == b.length else { return false }
    let first = bytes[Int(a.offset)..<Int(a.offset) + Int(a.length)]
    return first.elementsEqual(bytes[Int(b.offset)..<Int(b.offset) + Int(b.length)])
  }
}
