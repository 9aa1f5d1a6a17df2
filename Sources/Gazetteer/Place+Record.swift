import OnTheMap

extension Place {
  /// A record of the index as an answer; nil when the record is damaged.
  ///
  /// - Parameters:
  ///   - postcode: takes the place of the town's point, and stands before its name.
  ///   - language: ISO 639-1; of the country's name, where the data has it.
  init?(
    _ record: PlaceRecord, _ sections: IndexSections, postcode: PostcodeRecord? = nil, language: String? = nil,
    match: Match, confidence: Double
  ) {
    guard let level = Level(rawValue: record.level),
      let coordinate = Coordinate(
        latitudeE7: postcode?.latitudeE7 ?? record.latitudeE7, longitudeE7: postcode?.longitudeE7 ?? record.longitudeE7)
    else { return nil }
    let local = language.flatMap { sections.name(of: record.country, language: $0.utf8) }
    let name = level == .country ? local ?? sections.name(of: record) : sections.name(of: record)
    let region = level > .country ? sections.place(record.region).map(sections.name(of:)) : nil
    let country = local ?? sections.place(UInt32(record.country)).map(sections.name(of:))
    var parts: [UnsafeRawBufferPointer] = [name]
    // "Singapore", not "Singapore, Singapore".
    if level > .region, let region, !region.elementsEqual(name) { parts.append(region) }
    if level > .country, let country, !country.elementsEqual(parts[parts.count - 1]) { parts.append(country) }
    self.init(
      coordinate: coordinate, level: postcode == nil ? level : .postcode, match: match, confidence: confidence,
      label: (postcode.map { "\($0.code) " } ?? "") + Self.label(parts),
      name: String(decoding: name, as: UTF8.self),
      region: region.map { String(decoding: $0, as: UTF8.self) } ?? "",
      country: country.map { String(decoding: $0, as: UTF8.self) } ?? "",
      countryCode: sections.country(record.country).map { Self.letters($0.code) } ?? "")
  }

  /// A text that is a point itself.
  init(point: Coordinate) {
    let label = "\(point.latitude), \(point.longitude)"
    self.init(
      coordinate: point, level: .house, match: .exact, confidence: 1, label: label, name: label, region: "",
      country: "", countryCode: "")
  }

  private static func label(_ parts: [UnsafeRawBufferPointer]) -> String {
    let bytes = parts.reduce(0) { $0 + $1.count + 2 }
    return String(unsafeUninitializedCapacity: bytes) { buffer in
      var count = 0
      for part in parts {
        if count > 0 {
          buffer[count] = UInt8(ascii: ",")
          buffer[count + 1] = UInt8(ascii: " ")
          count += 2
        }
        for byte in part {
          buffer[count] = byte
          count += 1
        }
      }
      return count
    }
  }

  private static func letters(_ code: UInt16) -> String {
    String(unsafeUninitializedCapacity: 2) { buffer in
      buffer[0] = UInt8(truncatingIfNeeded: code)
      buffer[1] = UInt8(truncatingIfNeeded: code >> 8)
      return 2
    }
  }
}
