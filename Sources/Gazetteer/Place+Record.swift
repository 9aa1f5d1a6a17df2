import Glibc
import OnTheMap

extension Place {
  /// A record of the index as an answer; nil when the record is damaged.
  ///
  /// - Parameters:
  ///   - postcode: takes the place of the town's point, and stands before its name.
  ///   - language: of the country's name, where the data has it; `LocalNameRecord.language`.
  init?(
    _ record: PlaceRecord, _ sections: IndexSections, postcode: PostcodeRecord? = nil, language: UInt16? = nil,
    match: Match, confidence: Double
  ) {
    guard let level = Level(rawValue: record.level),
      let coordinate = Coordinate(
        latitudeE7: postcode?.latitudeE7 ?? record.latitudeE7, longitudeE7: postcode?.longitudeE7 ?? record.longitudeE7)
    else { return nil }
    let local = sections.name(of: record.country, language: language)
    let ownName = sections.name(of: record)
    let country = local ?? sections.place(UInt32(record.country)).map(sections.name(of:)) ?? Self.noName
    let name = level == .country ? local ?? ownName : ownName
    let region = level > .country ? sections.place(record.region).map(sections.name(of:)) ?? Self.noName : Self.noName
    // "Singapore", not "Singapore, Singapore".
    let second = level > .region && !Self.areEqual(region, name) ? region : Self.noName
    let third = level > .country && !Self.areEqual(country, second.isEmpty ? name : second) ? country : Self.noName
    let label = Self.label(name, second, third)
    self.init(
      coordinate: coordinate, level: postcode == nil ? level : .postcode, match: match, confidence: confidence,
      label: postcode.map { "\($0.code) \(label)" } ?? label, name: String(decoding: name, as: UTF8.self),
      region: String(decoding: region, as: UTF8.self), country: String(decoding: country, as: UTF8.self),
      countryCode: sections.country(record.country).map { Self.letters($0.code) } ?? "")
  }

  /// A text that is a point itself.
  init(point: Coordinate) {
    let label = "\(point.latitude), \(point.longitude)"
    self.init(
      coordinate: point, level: .house, match: .exact, confidence: 1, label: label, name: label, region: "",
      country: "", countryCode: "")
  }

  private static var noName: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }

  private static func areEqual(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
    guard a.count == b.count, let first = a.baseAddress, let second = b.baseAddress else { return a.count == b.count }
    return memcmp(first, second, a.count) == 0
  }

  /// "Seattle, Washington, United States"; parts that are empty are left out.
  private static func label(
    _ name: UnsafeRawBufferPointer, _ region: UnsafeRawBufferPointer, _ country: UnsafeRawBufferPointer
  ) -> String {
    String(unsafeUninitializedCapacity: name.count + region.count + country.count + 4) { buffer in
      let room = UnsafeMutableRawBufferPointer(buffer)
      var count = 0
      func append(_ part: UnsafeRawBufferPointer) {
        guard !part.isEmpty else { return }
        if count > 0 {
          room[count] = UInt8(ascii: ",")
          room[count + 1] = UInt8(ascii: " ")
          count += 2
        }
        UnsafeMutableRawBufferPointer(rebasing: room[count...]).copyMemory(from: part)
        count += part.count
      }
      append(name)
      append(region)
      append(country)
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
