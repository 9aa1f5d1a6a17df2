import OnTheMap

/// What is looked up by a postcode, an area or a country.
extension IndexSections {
  /// The records of a packed code, one for each country that has it.
  func postcodes(_ packed: UInt64) -> Range<UInt32> {
    // In a damaged file the order may be wrong.
    let first = postcodeRecords.partitionPoint { $0.key < PostcodeRecord.firstKey(packed) }
    return first..<max(first, postcodeRecords.partitionPoint { $0.key < PostcodeRecord.firstKey(packed + 1) })
  }

  @inline(__always)
  func postcode(_ number: UInt32) -> PostcodeRecord? { postcodeRecords[number] }

  /// The extent of the populated places of a country, region or county; nil for a populated place, an area without
  /// places, and a number that is no place's.
  func box(_ area: UInt32) -> BoundingBox? {
    boxes[area].flatMap { BoundingBox(south: $0.south, west: $0.west, north: $0.north, east: $0.east) }
  }

  /// What a country is called in a language, `LocalNameRecord.language`; nil where the file does not tell.
  func name(of country: UInt16, language: UInt16?) -> UnsafeRawBufferPointer? {
    guard let language else { return nil }
    let key = LocalNameRecord.key(language: language, country: country)
    guard let record = localNames[localNames.partitionPoint { $0.key < key }], record.key == key else { return nil }
    let name = strings.slice(Int(record.nameOffset), Int(record.nameOffset) + Int(record.nameLength))
    return name.isEmpty ? nil : name
  }
}
