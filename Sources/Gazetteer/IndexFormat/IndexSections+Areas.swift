import Domain

/// Access by postcode, area and country.
extension IndexSections {
  /// Returns the records of a packed code, one for each country that uses it.
  func postcodes(_ packed: UInt64) -> Range<UInt32> {
    let (key, endKey) = (PostcodeRecord.firstKey(packed), PostcodeRecord.firstKey(packed + 1))
    // The blocks' keys stay in the processor's cache, so that a search touches few records.
    let block = postcodeKeys.partitionPoint { $0 < key }
    var first = block > 0 ? (block - 1) * UInt32(PostcodeRecord.blockSize) : 0
    let last = block * UInt32(PostcodeRecord.blockSize)
    while first < last, let record = postcodeRecords[first], record.key < key { first += 1 }
    var end = first
    while let record = postcodeRecords[end], key <= record.key, record.key < endKey { end += 1 }
    return first..<end
  }

  @inline(__always)
  func postcode(_ number: UInt32) -> PostcodeRecord? { postcodeRecords[number] }

  /// Returns the extent of the cities of a country, region or county. Nil for a city, an area without cities, and an
  /// invalid number.
  func box(_ area: UInt32) -> BoundingBox? {
    boxes[area].flatMap { BoundingBox(south: $0.south, west: $0.west, north: $0.north, east: $0.east) }
  }

  /// Returns a country's name in a language (`LocalNameRecord.language`). Nil if the file has none.
  func name(of country: UInt16, language: UInt16?) -> UnsafeRawBufferPointer? {
    guard let language else { return nil }
    let key = LocalNameRecord.key(language: language, country: country)
    guard let record = localNames[localNames.partitionPoint { $0.key < key }], record.key == key else { return nil }
    let name = strings.slice(Int(record.nameOffset), Int(record.nameOffset) + Int(record.nameLength))
    return name.isEmpty ? nil : name
  }
}
