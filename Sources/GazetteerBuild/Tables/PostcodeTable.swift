import Domain
import Gazetteer

/// Postcodes while an index is built.
struct PostcodeTable {
  private var records: [PostcodeRecord] = []
  /// Number of codes that cannot be packed.
  private(set) var skippedCount = 0

  var count: Int { records.count }

  /// Adds one line. A code of one country may have several lines. "LV-5101" is also found as "5101", and "L-4968" as
  /// "4968".
  mutating func add(code: SourceRow.Field, country: SourceRow.Field, number: UInt16, _ point: Coordinate) {
    let code = Self.withoutDelivery(code)
    guard let packed = PostcodeRecord.packed(code) else {
      skippedCount += 1
      return
    }
    let (latitude, longitude) = (point.latitudeE7, point.longitudeE7)
    records.append(PostcodeRecord(packed: packed, country: number, latitudeE7: latitude, longitudeE7: longitude))
    let letters = code.prefix { $0 > UInt8(ascii: "9") }
    let digits = code[letters.endIndex...]
    // "G11" is a postcode of Glasgow, but "11" is not a postcode.
    guard !letters.isEmpty, country.starts(with: letters), digits.count >= GazetteerLimits.postcodeDigitsMin,
      digits.allSatisfy({ $0 <= UInt8(ascii: "9") }), let bare = PostcodeRecord.packed(digits)
    else { return }
    records.append(PostcodeRecord(packed: bare, country: number, latitudeE7: latitude, longitudeE7: longitude))
  }

  /// Returns the records sorted by key, each with the mean of its points and the city around it.
  consuming func compiled(_ places: [PlaceRecord]) -> [PostcodeRecord] {
    guard !records.isEmpty else { return [] }
    records.sort {
      ($0.key, $0.latitudeE7, $0.longitudeE7) < ($1.key, $1.latitudeE7, $1.longitudeE7)
    }
    let grid = NearestPlaces(places)
    var result: [PostcodeRecord] = []
    var start = 0
    while start < records.count {
      var end = start + 1
      while end < records.count, records[end].key == records[start].key { end += 1 }
      var record = Self.mean(records[start..<end])
      record.place =
        grid.nearest(latitudeE7: record.latitudeE7, longitudeE7: record.longitudeE7, country: record.country)
        ?? PlaceRecord.none
      result.append(record)
      start = end
    }
    return result
  }

  /// Returns the key of the first record of each block.
  static func keys(_ records: [PostcodeRecord]) -> [UInt64] {
    stride(from: 0, to: records.count, by: PostcodeRecord.blockSize).map { records[$0].key }
  }

  /// Returns the mean of points that lie close together. Longitudes are relative to the first one, so that the mean is
  /// right across the antimeridian.
  private static func mean(_ records: ArraySlice<PostcodeRecord>) -> PostcodeRecord {
    var mean = records[records.startIndex]
    guard records.count > 1 else { return mean }
    let (first, count) = (Int64(mean.longitudeE7), Int64(records.count))
    let latitudes = records.reduce(Int64(0)) { $0 + Int64($1.latitudeE7) }
    let offsets = records.reduce(Int64(0)) { $0 + wrapped(Int64($1.longitudeE7) - first) }
    mean.latitudeE7 = Int32(latitudes / count)
    mean.longitudeE7 = Int32(wrapped(first + offsets / count))
    return mean
  }

  /// Wraps a longitude, or a difference of two, into -180 to 180 degrees.
  private static func wrapped(_ longitude: Int64) -> Int64 {
    let turn: Int64 = 3_600_000_000
    return longitude > turn / 2 ? longitude - turn : longitude < -turn / 2 ? longitude + turn : longitude
  }

  /// Returns a code without "CEDEX" and its number, which mark a French delivery to large customers: "77001 CEDEX 9".
  private static func withoutDelivery(_ code: SourceRow.Field) -> SourceRow.Field {
    let digits = code.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    let rest = code[digits.endIndex...]
    guard digits.count == 5, rest.count > 1, rest.first == UInt8(ascii: " "),
      rest.dropFirst().first.map({ $0 > UInt8(ascii: "9") }) == true
    else { return code }
    return digits
  }
}
