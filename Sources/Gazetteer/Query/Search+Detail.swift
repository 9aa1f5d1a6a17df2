import Domain
import Glibc

extension IndexSections {
  /// Returns the details of a place that do not depend on the query.
  func detail(of number: UInt32, _ record: PlaceRecord) -> Place.Detail {
    var detail = Place.Detail()
    if record.level > Place.Level.county.rawValue, let county = place(record.county) {
      detail.county = String(decoding: name(of: county), as: UTF8.self)
    }
    detail.box = box(number) ?? estimatedBox(record)
    detail.attribution = attribution
    return detail
  }

  /// Returns a square around a city, because the data has no extents of cities. A larger population gives a larger
  /// square.
  private func estimatedBox(_ record: PlaceRecord) -> BoundingBox? {
    let north = Nearby.radiusKm(record.population) / 111
    let east = north / max(cos(Double(record.latitudeE7) * 1e-7 * .pi / 180), 0.01)
    func wrapped(_ longitudeE7: Int64) -> Int32 {
      Int32(
        longitudeE7 > 1_800_000_000
          ? longitudeE7 - 3_600_000_000
          : longitudeE7 < -1_800_000_000
            ? longitudeE7 + 3_600_000_000 : longitudeE7)
    }
    return BoundingBox(
      south: max(record.latitudeE7 - Int32(north * 1e7), -900_000_000),
      west: wrapped(Int64(record.longitudeE7) - Int64(min(east, 179) * 1e7)),
      north: min(record.latitudeE7 + Int32(north * 1e7), 900_000_000),
      east: wrapped(Int64(record.longitudeE7) + Int64(min(east, 179) * 1e7)))
  }
}

extension Search {
  /// Returns the details of a result.
  func detail(of candidate: Candidate, _ record: PlaceRecord) -> Place.Detail {
    var detail = sections.detail(of: candidate.place, record)
    if let postcode = sections.postcode(candidate.postcode) { detail.postcode = postcode.code }
    detail.matched = words(candidate.mask)
    detail.unmatched = words(~candidate.mask)
    return detail
  }

  /// Returns the tokens of a mask as the user typed them. Neighbours keep the characters between them.
  private func words(_ mask: UInt64) -> String {
    var bytes: [UInt8] = []
    var token = 0
    while token < text.tokenCount {
      guard mask & (1 << token) != 0 else {
        token += 1
        continue
      }
      var last = token
      while last + 1 < text.tokenCount, mask & (1 << (last + 1)) != 0 { last += 1 }
      if !bytes.isEmpty { bytes.append(UInt8(ascii: " ")) }
      bytes += source[Int(text.tokens[token].from)..<min(Int(text.tokens[last].to), source.count)]
      token = last + 1
    }
    return String(decoding: bytes, as: UTF8.self).safeLine(bytesMax: GazetteerLimits.queryBytes)
  }
}
