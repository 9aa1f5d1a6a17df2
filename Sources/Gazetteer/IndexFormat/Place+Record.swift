import Domain

extension IndexSections {
  /// Converts a record into a result. Returns nil if the record is damaged.
  ///
  /// - Parameters:
  ///   - postcode: A postcode of the city. The result has the postcode's point, and its label begins with the code.
  ///   - language: The language of the country's name, as `LocalNameRecord.language`. Used if the data has it.
  func result(
    for record: PlaceRecord, postcode: PostcodeRecord? = nil, language: UInt16? = nil, match: Place.Match,
    confidence: Double
  ) -> Place? {
    guard let level = Place.Level(rawValue: record.level),
      let coordinate = Coordinate(
        latitudeE7: postcode?.latitudeE7 ?? record.latitudeE7, longitudeE7: postcode?.longitudeE7 ?? record.longitudeE7)
    else { return nil }
    let noName = UnsafeRawBufferPointer(start: nil, count: 0)
    let local = name(of: record.country, language: language)
    let country = local ?? place(UInt32(record.country)).map(name(of:)) ?? noName
    let ownName = level == .country ? local ?? name(of: record) : name(of: record)
    let region = level > .country ? place(record.region).map(name(of:)) ?? noName : noName
    // "Singapore", not "Singapore, Singapore".
    let second = level > .region && !region.hasBytes(of: ownName) ? region : noName
    let third = level > .country && !country.hasBytes(of: second.isEmpty ? ownName : second) ? country : noName
    let label = Place.label(ownName, second, third)
    return Place(
      coordinate: coordinate, level: postcode == nil ? level : .postcode, match: match, confidence: confidence,
      label: postcode.map { "\($0.code) \(label)" } ?? label, name: String(decoding: ownName, as: UTF8.self),
      region: String(decoding: region, as: UTF8.self), country: String(decoding: country, as: UTF8.self),
      countryCode: self.country(record.country).map { Place.letters($0.code) } ?? "")
  }
}

extension Place {
  /// Creates the result for a text that is a point itself.
  init(point: Coordinate) {
    let label = "\(point.latitude), \(point.longitude)"
    self.init(
      coordinate: point, level: .house, match: .exact, confidence: 1, label: label, name: label, region: "",
      country: "", countryCode: "")
  }

  /// Joins the non-empty parts of a label: "Seattle, Washington, United States".
  fileprivate static func label(
    _ name: UnsafeRawBufferPointer, _ region: UnsafeRawBufferPointer, _ country: UnsafeRawBufferPointer
  ) -> String {
    String(unsafeUninitializedCapacity: name.count + region.count + country.count + 4) { buffer in
      let bytes = UnsafeMutableRawBufferPointer(buffer)
      var count = 0
      func append(_ part: UnsafeRawBufferPointer) {
        guard !part.isEmpty else { return }
        if count > 0 {
          bytes[count] = UInt8(ascii: ",")
          bytes[count + 1] = UInt8(ascii: " ")
          count += 2
        }
        UnsafeMutableRawBufferPointer(rebasing: bytes[count...]).copyMemory(from: part)
        count += part.count
      }
      append(name)
      append(region)
      append(country)
      return count
    }
  }

  fileprivate static func letters(_ code: UInt16) -> String {
    String(unsafeUninitializedCapacity: 2) { buffer in
      buffer[0] = UInt8(truncatingIfNeeded: code)
      buffer[1] = UInt8(truncatingIfNeeded: code >> 8)
      return 2
    }
  }
}
