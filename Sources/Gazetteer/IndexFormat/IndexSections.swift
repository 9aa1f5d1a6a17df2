/// The sections of an open file. Every read is checked against the section's size, so that a damaged file causes wrong
/// results at worst. Valid while the file is mapped.
struct IndexSections {
  let places: RecordArray<PlaceRecord>
  let countries: RecordArray<CountryRecord>
  let names: RecordArray<UInt32>
  let nameOrder: RecordArray<UInt32>
  let slots: RecordArray<UInt32>
  let beginnings: RecordArray<UInt64>
  let strings: RecordArray<UInt8>
  let attributionBytes: RecordArray<UInt8>
  let fuzzyBuckets: RecordArray<UInt32>
  let fuzzyNames: RecordArray<UInt32>
  let gridPlaces: RecordArray<GridRecord>
  let blockRanks: RecordArray<UInt16>
  let postcodeKeys: RecordArray<UInt64>
  let postcodeRecords: RecordArray<PostcodeRecord>
  let boxes: RecordArray<BoxRecord>
  let localNames: RecordArray<LocalNameRecord>
  let builtAt: Int64
  /// The checksum in the header. Opening does not verify it, because that takes time.
  let checksum: UInt64

  /// Reads the header and the directory.
  ///
  /// - Throws: `PlaceIndexError`.
  init(_ file: UnsafeRawBufferPointer, path: String) throws(PlaceIndexError) {
    guard file.count >= IndexLayout.headerBytes else {
      throw .truncated(path: path, bytes: file.count, expected: UInt64(IndexLayout.headerBytes))
    }
    guard file.prefix(4).elementsEqual(IndexLayout.magic) else { throw .foreign(path: path) }
    let version = file.integer(at: 4, as: UInt32.self)
    guard version == IndexLayout.version else {
      throw .incompatible(path: path, found: version, expected: IndexLayout.version)
    }
    let folding = file.integer(at: 8, as: UInt32.self)
    guard folding == Fold.version else { throw .incompatible(path: path, found: folding, expected: Fold.version) }
    let size = file.integer(at: 16, as: UInt64.self)
    guard size == UInt64(file.count) else { throw .truncated(path: path, bytes: file.count, expected: size) }
    builtAt = file.integer(at: 24, as: Int64.self)
    checksum = file.integer(at: IndexLayout.checksumOffset, as: UInt64.self)
    places = try RecordArray(.places, file, path)
    countries = try RecordArray(.countries, file, path)
    names = try RecordArray(.names, file, path)
    // The limit keeps sums of positions from overflowing.
    guard names.count < 1 << 31 else { throw .damaged(path: path, part: "names") }
    nameOrder = try RecordArray(.nameOrder, file, path)
    slots = try RecordArray(.slots, file, path)
    guard slots.count > 0, slots.count.isMultiple(of: NameHashTable.line) else {
      throw .damaged(path: path, part: "slots")
    }
    beginnings = try RecordArray(.beginnings, file, path)
    guard beginnings.count > 0, beginnings.count & (beginnings.count - 1) == 0 else {
      throw .damaged(path: path, part: "beginnings")
    }
    strings = try RecordArray(.strings, file, path)
    attributionBytes = try RecordArray(.attribution, file, path)
    fuzzyBuckets = try RecordArray(.fuzzyBuckets, file, path)
    fuzzyNames = try RecordArray(.fuzzyNames, file, path)
    gridPlaces = try RecordArray(.gridPlaces, file, path)
    blockRanks = try RecordArray(.blockRanks, file, path)
    postcodeKeys = try RecordArray(.postcodeKeys, file, path)
    guard fuzzyBuckets.count > 0, fuzzyBuckets.count & (fuzzyBuckets.count - 1) == 0 else {
      throw .damaged(path: path, part: "fuzzyBuckets")
    }
    postcodeRecords = try RecordArray(.postcodes, file, path)
    boxes = try RecordArray(.boxes, file, path)
    localNames = try RecordArray(.localNames, file, path)
    guard countries.count <= places.count else { throw .damaged(path: path, part: "countries") }
  }

  var placeCount: Int { places.count }
  var countryCount: Int { countries.count }
  var nameCount: Int { nameOrder.count }
  var postcodeCount: Int { postcodeRecords.count }
  var attribution: String { String(decoding: attributionBytes.slice(0, attributionBytes.count), as: UTF8.self) }

  @inline(__always)
  func place(_ number: UInt32) -> PlaceRecord? { places[number] }

  @inline(__always)
  func country(_ number: UInt16) -> CountryRecord? { countries[UInt32(number)] }

  /// Returns the number of a country by its ISO 3166-1 alpha-2 code.
  func country(code: UInt16) -> UInt16? {
    (0..<UInt16(clamping: countries.count)).first { countries[UInt32($0)]?.code == code }
  }

  @inline(__always)
  func posting(_ number: UInt32) -> Posting? { names[number].map(Posting.init(rawValue:)) }

  func name(of place: PlaceRecord) -> UnsafeRawBufferPointer {
    strings.slice(Int(place.nameOffset), Int(place.nameOffset) + Int(place.nameLength))
  }

  /// Returns the postings of a folded name with this hash. Nil if no place has the name.
  @inline(__always)
  func postings(of name: UnsafeRawBufferPointer, hash: UInt64) -> Range<UInt32>? {
    self.name(name, hash: hash)?.postings
  }

  /// Returns the entry of a folded name with this hash. Nil if no place has the name.
  @inline(__always)
  func name(_ name: UnsafeRawBufferPointer, hash: UInt64) -> NameEntry? {
    let positionBits = NameHashTable.positionBits(names.count)
    let tag = NameHashTable.tag(hash, positionBits)
    var slot = NameHashTable.first(hash, of: slots.count)
    for _ in 0..<min(NameHashTable.probesMax, slots.count) {
      guard let found = slots[UInt32(truncatingIfNeeded: slot)], found != 0 else { return nil }
      if found >> positionBits == tag, let entry = self.name(at: found & (1 << positionBits &- 1)),
        entry.bytes.hasBytes(of: name)
      {
        return entry
      }
      slot = slot + 1 < slots.count ? slot + 1 : 0
    }
    return nil
  }

  /// Returns a name by its position. Nil if there is none.
  @inline(__always)
  func name(at position: UInt32) -> NameEntry? {
    guard position > 0, let head = names[position].map(NameEntry.Head.init(rawValue:)) else { return nil }
    let first = position + 1
    let firstPosting = first + UInt32(truncatingIfNeeded: (head.byteCount + 3) / 4)
    let end = UInt64(firstPosting) + UInt64(head.postingCount)
    guard head.byteCount > 0, head.postingCount > 0, end <= UInt64(names.count) else { return nil }
    let words = names.slice(Int(first), Int(firstPosting))
    return NameEntry(
      bytes: UnsafeRawBufferPointer(rebasing: words[..<head.byteCount]),
      postings: firstPosting..<UInt32(truncatingIfNeeded: end))
  }

  /// Returns a name by its number in the order of the names' bytes. Nil if there is none.
  @inline(__always)
  func name(_ number: UInt32) -> NameEntry? { nameOrder[number].flatMap(name(at:)) }

  /// Returns false only if no name equals or begins with the words that have this hash. True may be a false positive.
  @inline(__always)
  func mayBegin(_ hash: UInt64) -> Bool {
    let word = beginnings[UInt32(truncatingIfNeeded: NamePrefixFilter.word(hash, of: beginnings.count))] ?? 0
    return word & NamePrefixFilter.bits(hash) == NamePrefixFilter.bits(hash)
  }

  /// Returns the positions in `fuzzyNames` of the names that may have this half.
  func fuzzyBucket(_ hash: UInt64) -> Range<UInt32> {
    let bucket = UInt32(truncatingIfNeeded: hash) & UInt32(truncatingIfNeeded: fuzzyBuckets.count - 1)
    let start = bucket == 0 ? 0 : fuzzyBuckets[bucket - 1] ?? 0
    let end = min(fuzzyBuckets[bucket] ?? 0, UInt32(truncatingIfNeeded: fuzzyNames.count))
    return start..<max(start, end)
  }

  /// Returns the positions in `gridPlaces` of the cities in a cell.
  func gridCell(_ cell: UInt32) -> Range<UInt32> {
    // In a damaged file the order may be wrong.
    let first = gridPlaces.partitionPoint { $0.cell < cell }
    return first..<max(first, gridPlaces.partitionPoint { $0.cell <= cell })
  }

  /// Returns the record number of the city at a position of the grid.
  func gridPlace(_ position: UInt32) -> UInt32? { gridPlaces[position]?.place }

  /// Returns the highest rank in a block of names, or the highest possible one if the file has none.
  func blockRank(_ block: UInt32) -> UInt16 { blockRanks[block] ?? .max }

  @inline(__always)
  func fuzzyName(_ position: UInt32) -> UInt32? { fuzzyNames[position] }
}
